/** Registering, naming, blocking and ending passkeys. `second-factors/passkey-machine.ts` decides. */
import type { PasskeyId, UserId } from "../../../storage/ids.ts";
import type { UserRow } from "../../../storage/rows.ts";
import {
  blockPasskey as blockStored,
  deletePasskey,
  findPasskey,
  findPasskeysOf,
  insertPasskey,
  type PasskeyRow,
  renamePasskey as renameStored,
} from "../../../storage/users/passkeys.ts";
import { deleteSecondFactors, findTotp } from "../../../storage/users/second-factors.ts";
import { factorLetter } from "../../email/letters.ts";
import { queueEmails } from "../../email/queue.ts";
import type { LetterWords } from "../../email/words/words.ts";
import { badRequest, notFound } from "../../errors.ts";
import { granted } from "../../lifecycle.ts";
import { command } from "../../realm/command.ts";
import type { Tx } from "../../realm/transaction.ts";
import { isLonger } from "../../text/texts.ts";
import { dutyFrom } from "../second-factors/duty.ts";
import { maxPasskeys, type PasskeyEvent, passkeyRefusals, stepPasskey } from "../second-factors/passkey-machine.ts";
import type { NewPasskey } from "../second-factors/passkeys.ts";
import { makeRecoveryCodes, tellFactor } from "./second-factors.ts";

const maxName = 60;

/** @throws BAD_REQUEST */
function checkName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === "") throw badRequest("The passkey needs a name.");
  if (isLonger(trimmed, maxName)) throw badRequest(`name is too long (limit: ${maxName} characters)`);
  return trimmed;
}

/** @throws BAD_REQUEST */
const step = (row: PasskeyRow | undefined, event: PasskeyEvent) =>
  granted(stepPasskey(row ? (row.is_blocked ? "blocked" : "active") : "offered", event), (reason) =>
    passkeyRefusals[reason](),
  );

/** Registers a passkey that was checked. Tells recovery codes, this once, when it is the first second factor. */
export const addPasskey = command(
  async (tx: Tx, { actorId, name, passkey }: { actorId: UserId; name: string; passkey: NewPasskey }) => {
    const user = tx.user(actorId);
    if (user.is_bot) throw badRequest("Bots have no password, and no second factor.");
    const called = checkName(name);
    const credentialId = Buffer.from(passkey.credentialId, "base64url");
    const others = await findPasskeysOf(tx.sql, user.id);
    const isFirst = others.length === 0 && (await findTotp(tx.sql, user.id))?.is_on !== true;
    const isKnown = (await findPasskey(tx.sql, tx.realmId, credentialId)) !== undefined;
    const event = { type: "registered", isFirst, isKnown, isFull: others.length >= maxPasskeys } as const;
    const { actions } = step(undefined, event);
    const row = {
      id: await tx.id("object_ids"),
      user_id: user.id,
      realm_id: tx.realmId,
      credential_id: credentialId,
      public_key: Buffer.from(passkey.publicKey, "base64url"),
      sign_count: passkey.signCount,
      transports: passkey.transports.join(" "),
      is_synced: passkey.isSynced,
      name: called,
      date_created: tx.now,
    };
    tx.write((sql) => insertPasskey(sql, row));
    tx.audit({ type: "user_passkey_added", userIds: [user.id], after: { id: row.id, name: called } });
    if (!actions.includes("makeCodes")) {
      tell(tx, user, (words) => words.passkeyAdded(called));
      return { id: row.id, recovery_codes: [] };
    }
    tellFactor(tx, user, true);
    return { id: row.id, recovery_codes: makeRecoveryCodes(tx, user) };
  },
);

/** Gives one of the caller's passkeys another name. @throws a 404, BAD_REQUEST */
export const renamePasskey = command(
  async (tx: Tx, { actorId, id, name }: { actorId: UserId; id: PasskeyId; name: string }) => {
    const { passkey } = await accessPasskey(tx, actorId, id);
    const called = checkName(name);
    tx.write((sql) => renameStored(sql, passkey.id, called));
    return {};
  },
);

/**
 * Ends one of the caller's passkeys. Without another second factor recovery codes end too.
 *
 * @throws a 404, BAD_REQUEST
 */
export const endPasskey = command(async (tx: Tx, { actorId, id }: { actorId: UserId; id: PasskeyId }) => {
  const { user, passkey, isOnly } = await accessPasskey(tx, actorId, id);
  const isLast = isOnly && (await findTotp(tx.sql, user.id))?.is_on !== true;
  const { actions } = step(passkey, { type: "ended", isLast, isRequired: dutyFrom(tx.state, user) !== undefined });
  tx.audit({ type: "user_passkey_ended", userIds: [user.id], before: { id, name: passkey.name } });
  if (actions.includes("clear")) {
    tx.write((sql) => deleteSecondFactors(sql, user.id));
    tellFactor(tx, user, false);
  } else {
    tx.write((sql) => deletePasskey(sql, id));
    tell(tx, user, (words) => words.passkeyRemoved(passkey.name));
  }
  return {};
});

/** Blocks a passkey that has been copied. @throws a 404 */
export const blockPasskey = command(async (tx: Tx, { userId, id }: { userId: UserId; id: PasskeyId }) => {
  const { user, passkey } = await accessPasskey(tx, userId, id);
  if (passkey.is_blocked) return {};
  step(passkey, { type: "shown", isCopy: true });
  tx.write((sql) => blockStored(sql, id));
  tx.audit({ type: "user_passkey_blocked", userIds: [user.id], after: { id, name: passkey.name } });
  tell(tx, user, (words) => words.passkeyBlocked(passkey.name));
  return {};
});

/** @throws a 404 for a passkey that is not there, or is somebody else's */
async function accessPasskey(tx: Tx, userId: UserId, id: PasskeyId) {
  const user = tx.user(userId);
  const all = await findPasskeysOf(tx.sql, user.id);
  const passkey = all.find((one) => one.id === id);
  if (!passkey) throw notFound("Passkey does not exist.");
  return { user, passkey, isOnly: all.length === 1 };
}

/** Whoever did it without the person is seen by this. */
function tell(tx: Tx, user: UserRow, what: (words: LetterWords) => string): void {
  queueEmails(tx, { kind: "password", recipient: user.delivery_email, letter: factorLetter(tx.state, user, what) });
}
