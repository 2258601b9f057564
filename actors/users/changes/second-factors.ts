/** Setting up a second factor, and ending it. `second-factors/machine.ts` decides. */
import type { UserId } from "../../../storage/ids.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { findPasskeysOf } from "../../../storage/users/passkeys.ts";
import {
  deleteSecondFactors,
  deleteTotp,
  findTotp,
  openTotpSecret,
  replaceRecoveryCodes,
  storeTotp,
  turnOnTotp,
} from "../../../storage/users/second-factors.ts";
import { factorLetter, secondFactorLetter } from "../../email/letters.ts";
import { queueEmails } from "../../email/queue.ts";
import { badRequest, errors } from "../../errors.ts";
import { granted } from "../../lifecycle.ts";
import { isOwner, requireAdmin, requireOwner } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { Tx } from "../../realm/transaction.ts";
import { dutyFrom, type RequiredSecondFactor, requirementKey, requirementOf } from "../second-factors/duty.ts";
import { newRecoveryCode, recoveryCodeCount, recoveryHash, stateOf } from "../second-factors/factors.ts";
import { type SecondFactorEvent, secondFactorRefusals, stepSecondFactor } from "../second-factors/machine.ts";
import { newTotpSecret, otpauthUrl, stepOfCode } from "../second-factors/totp.ts";
import { accessAccount } from "./update.ts";

/** What a person is told of a step, this once. */
interface Told {
  secret: string;
  codes: string[];
}

/** Makes recovery codes, which end those before. */
export function makeRecoveryCodes(tx: Tx, user: UserRow): string[] {
  const codes = Array.from({ length: recoveryCodeCount }, newRecoveryCode);
  const hashes = codes.map(recoveryHash);
  tx.write((sql) => replaceRecoveryCodes(sql, user.id, tx.realmId, hashes));
  return codes;
}

/**
 * Does what the machine says of an event.
 *
 * @param facts the code that is shown with it, and whether its person has to have one
 * @throws BAD_REQUEST when it is refused
 */
async function step(
  tx: Tx,
  user: UserRow,
  type: SecondFactorEvent["type"],
  { code = "", isRequired = false } = {},
): Promise<Told> {
  const row = await findTotp(tx.sql, user.id);
  const secret = row && type === "enrolment.confirmed" ? openTotpSecret(tx.sql, row) : undefined;
  const taken = secret === undefined ? undefined : stepOfCode(secret, code.replace(/\s/g, ""), tx.now);
  const hasPasskeys = (await findPasskeysOf(tx.sql, user.id)).length > 0;
  const event = { type, isRight: taken !== undefined, isRequired, hasPasskeys };
  const { actions } = granted(stepSecondFactor(stateOf(row), event), (reason) => secondFactorRefusals[reason]());
  const told: Told = { secret: newTotpSecret(), codes: [] };
  for (const action of actions)
    switch (action) {
      case "keepSecret": {
        const kept = { user_id: user.id, realm_id: tx.realmId, secret: told.secret, date_created: tx.now };
        tx.write((sql) => storeTotp(sql, kept));
        break;
      }
      case "turnOn":
        tx.write((sql) => turnOnTotp(sql, user.id, taken!, tx.now));
        if (hasPasskeys) tellTotp(tx, user, true);
        else tellFactor(tx, user, true);
        break;
      case "makeCodes":
        told.codes = makeRecoveryCodes(tx, user);
        break;
      case "dropTotp":
        tx.write((sql) => deleteTotp(sql, user.id));
        tellTotp(tx, user, false);
        break;
      case "clear":
        tx.write((sql) => deleteSecondFactors(sql, user.id));
        if (row?.is_on || hasPasskeys) tellFactor(tx, user, false);
        break;
    }
  return told;
}

/** Begins to set up codes by time. The secret is told this once. @throws BAD_REQUEST while a second factor is on */
export const beginTotp = command(async (tx: Tx, { actorId }: { actorId: UserId }) => {
  const user = tx.user(actorId);
  if (user.is_bot) throw badRequest("Bots have no password, and no second factor.");
  const { secret } = await step(tx, user, "enrolment.begun");
  return { secret, otpauth_url: otpauthUrl(secret, user.delivery_email, tx.state.row.name) };
});

/** Turns it on by its first code. Tells the recovery codes, this once. @throws BAD_REQUEST */
export const confirmTotp = command(async (tx: Tx, { actorId, code }: { actorId: UserId; code: string }) => {
  const { codes } = await step(tx, tx.user(actorId), "enrolment.confirmed", { code });
  return { recovery_codes: codes };
});

/** Makes new recovery codes, which end those before. @throws BAD_REQUEST */
export const renewRecoveryCodes = command(async (tx: Tx, { actorId }: { actorId: UserId }) => {
  const { codes } = await step(tx, tx.user(actorId), "codes.asked");
  tx.audit({ type: "user_recovery_codes_renewed", userIds: [actorId] });
  return { recovery_codes: codes };
});

/** Ends codes by time for somebody who has passkeys. @throws BAD_REQUEST */
export const endTotp = command(async (tx: Tx, { actorId }: { actorId: UserId }) => {
  await step(tx, tx.user(actorId), "totp.ended");
  return {};
});

/**
 * Ends somebody's second factor: one's own, or as an administrator that of whoever lost theirs.
 *
 * @param actorId undefined for whoever runs the server
 * @throws BAD_REQUEST, UNAUTHORIZED_PRINCIPAL
 */
export const endSecondFactor = command(
  async (tx: Tx, { actorId, userId }: { actorId: UserId | undefined; userId: UserId }) => {
    const actor = actorId === undefined ? undefined : tx.user(actorId);
    if (actor && actor.id !== userId) requireAdmin(actor);
    const user = accessAccount(tx.state, userId);
    if (actor && isOwner(user) && !isOwner(actor)) throw errors.UNAUTHORIZED_PRINCIPAL("Must be an organization owner");
    const isRequired = actor?.id === user.id && dutyFrom(tx.state, user) !== undefined;
    await step(tx, user, "ended", { isRequired });
    return {};
  },
);

interface RequireArgs {
  actorId: UserId;
  /** undefined: as it is; so are the days. */
  of: RequiredSecondFactor["of"] | undefined;
  graceDays: number | undefined;
}

/** Decides who has to have a second factor. Their days of grace begin anew when others are named. Only owners may. */
export const requireSecondFactor = command((tx: Tx, { actorId, of, graceDays }: RequireArgs) => {
  requireOwner(tx.user(actorId));
  const { row } = tx.state;
  const before = requirementOf(tx.state);
  const since = of === undefined || of === before.of ? before.since : tx.now;
  const next: RequiredSecondFactor = { of: of ?? before.of, grace_days: graceDays ?? before.grace_days, since };
  tx.put("realms", { ...row, settings: { ...row.settings, [requirementKey]: next } });
  return next;
});

/** An authenticator application beside passkeys. */
function tellTotp(tx: Tx, user: UserRow, isOn: boolean): void {
  tx.audit({
    type: "user_second_factor_changed",
    userIds: [user.id],
    before: { has_totp: !isOn },
    after: { has_totp: isOn },
  });
  const letter = factorLetter(tx.state, user, (words) => (isOn ? words.totpAdded : words.totpRemoved));
  queueEmails(tx, { kind: "password", recipient: user.delivery_email, letter });
}

/** Whoever did it without the person is seen by this. */
export function tellFactor(tx: Tx, user: UserRow, isOn: boolean): void {
  tx.audit({
    type: "user_second_factor_changed",
    userIds: [user.id],
    before: { is_on: !isOn },
    after: { is_on: isOn },
  });
  queueEmails(tx, {
    kind: "password",
    recipient: user.delivery_email,
    letter: secondFactorLetter(tx.state, user, isOn),
  });
}
