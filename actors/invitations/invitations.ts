/** Invitations: made, listed, sent again, taken back, and over when their time is. Joining by one is in `join.ts`. */
import { randomBytes } from "node:crypto";
import { dropEmails } from "../../storage/email/queue.ts";
import { defined, firstOf } from "../../storage/failures.ts";
import type { InvitationId, UserId } from "../../storage/ids.ts";
import {
  countInvitedSince,
  countOpenInvitations,
  findInvitation,
  findOpenInvitations,
  findOverdueInvitations,
  type InvitationRow,
  insertInvitations,
  updateInvitations,
} from "../../storage/invitations.ts";
import { roles, type UserRow } from "../../storage/rows.ts";
import { invitationLetter } from "../email/letters.ts";
import { queueEmails } from "../email/queue.ts";
import { ApiError, badRequest } from "../errors.ts";
import { granted } from "../lifecycle.ts";
import { checkEmailDomain } from "../organization/email-domains.ts";
import { isAdmin, isOwner } from "../realm/access.ts";
import { command } from "../realm/command.ts";
import type { RealmReader } from "../realm/reader.ts";
import type { RealmState } from "../realm/state/state.ts";
import type { Tx } from "../realm/transaction.ts";
import { checkEmail } from "../users/changes/address.ts";
import { type InvitationRefusal, type InvitationStep, invitationRefusals, stepInvitation } from "./machine.ts";
import { checkChoices, expiryOf, type InvitationChoices } from "./rules.ts";
import type { InvitationRecord } from "./shapes.ts";

/** Addresses that an organization may invite in a day. */
const maxInvitedPerDay = 3000;
/** Links and addresses together that one person may have open: administrators fetch everybody's. */
const maxOpen = 5000;
const secondsPerDay = 86_400;

export interface NewInvitationArgs extends InvitationChoices {
  actorId: UserId;
  /** null: never expires. */
  expiresInMinutes: number | null;
}

/** Somebody's address that was not invited, and why. */
export type InvitationFailure = [email: string, reason: string, isDeactivated: boolean];

/** Where whoever has the key joins. */
export const invitationLink = (state: RealmState, key: string): string => `${state.url}/join/${key}/`;

const newKey = (): string => randomBytes(18).toString("base64url");

/** Makes a link that anybody may use. @throws BAD_REQUEST */
export const createMultiuseInvitation = command(async (tx: Tx, args: NewInvitationArgs) => {
  const user = tx.user(args.actorId);
  if (!tx.state.may(user, "create_multiuse_invite_group")) throw badRequest("Insufficient permission");
  const { key } = firstOf(await newRows(tx, user, args, [null], true));
  tellOfInvitations(tx, [{ invited_by: user.id }]);
  return { invite_link: invitationLink(tx.state, key) };
});

/**
 * Invites addresses. Those that cannot be invited are told back and the others are invited, except when one is no
 * address at all: then nobody is.
 *
 * @throws BAD_REQUEST
 */
export const inviteAddresses = command(
  async (tx: Tx, args: NewInvitationArgs & { emails: string[]; notifyReferrer: boolean }) => {
    const { state } = tx;
    const user = tx.user(args.actorId);
    if (!state.may(user, "can_invite_users_group")) throw badRequest("Insufficient permission");
    const emails = [...new Map(args.emails.map((email) => [email.toLowerCase(), email])).values()];
    if (emails.length === 0) throw badRequest("You must specify at least one email address.");
    const invalid = emails.flatMap((email) => failuresOf(email, () => checkEmail(email)));
    const invitations: { email: string; link: string }[] = [];
    const none = { invitations, dailyLimitReached: false };
    if (invalid.length > 0) return { ...none, failures: invalid, isInvalid: true };
    const choices = checkChoices(state, user, args);
    const invitedToday = await countInvitedSince(tx.sql, tx.realmId, tx.now - secondsPerDay);
    if (invitedToday + emails.length > maxInvitedPerDay)
      return { ...none, failures: [], isInvalid: false, dailyLimitReached: true };
    const failures = emails.flatMap((email): InvitationFailure[] => {
      const known = state.userByEmail(email);
      if (!known) return failuresOf(email, () => checkEmailDomain(state, email));
      const reason = known.is_active ? "Already has an account." : "Account has been deactivated.";
      return [[email, reason, !known.is_active]];
    });
    const refused = new Set(failures.map(([email]) => email));
    const invited = emails.filter((email) => !refused.has(email));
    const rows = await newRows(tx, user, { ...args, ...choices }, invited, args.notifyReferrer);
    if (rows.length > 0) tellOfInvitations(tx, rows);
    mailInvitations(tx, rows);
    for (const { email, key } of rows) invitations.push({ email: email ?? "", link: invitationLink(state, key) });
    return { invitations, failures, isInvalid: false, dailyLimitReached: false };
  },
);

const refused = (refusal: InvitationRefusal) => invitationRefusals[refusal]();

/** Sends people the links by which they join. */
function mailInvitations(tx: Tx, rows: readonly InvitationRow[]): void {
  const emails = rows.flatMap((row) => {
    const inviter = tx.state.users.get(row.invited_by);
    if (!inviter || row.email === null) return [];
    const letter = invitationLetter(tx.state, inviter, invitationLink(tx.state, row.key), row.expires_at);
    const expires = row.expires_at === null ? {} : { expiresAt: row.expires_at };
    return [{ kind: "invitation" as const, aboutId: row.id, recipient: row.email, letter, ...expires }];
  });
  queueEmails(tx, ...emails);
}

/** Does what the machine orders for invitations that take the same step. Returns them as they are now. */
export function perform(
  tx: Tx,
  rows: readonly InvitationRow[],
  { state, actions }: InvitationStep,
): readonly InvitationRow[] {
  let changed = rows;
  for (const action of actions) {
    switch (action) {
      case "end":
        changed = changed.map((row) => ({ ...row, state }));
        tx.write((sql) =>
          dropEmails(
            sql,
            tx.realmId,
            "invitation",
            rows.map(({ id }) => id),
          ),
        );
        break;
      case "renew":
        // Open for as long as it was at first.
        changed = changed.map((row) => {
          const { expires_at, date_created } = row;
          return { ...row, state, expires_at: expires_at === null ? null : tx.now + expires_at - date_created };
        });
        break;
      default:
        action satisfies never;
    }
  }
  if (changed !== rows) tx.write((sql) => updateInvitations(sql, changed));
  return changed;
}

export interface InvitationArgs {
  actorId: UserId;
  invitationId: InvitationId;
  isMultiuse: boolean;
}

/** Takes an invitation back. @throws BAD_REQUEST */
export const revokeInvitation = command(async (tx: Tx, args: InvitationArgs) => {
  const row = await accessInvitation(tx, args);
  perform(tx, [row], granted(stepInvitation(row.state, { type: "revoked" }), refused));
  tx.audit({ type: "invitation_revoked", before: whatAudited(row) });
  tellOfInvitations(tx, [row]);
  return {};
});

/** Sends an invitation again: it is open for as long as it was at first. @throws BAD_REQUEST */
export const resendInvitation = command(async (tx: Tx, args: Omit<InvitationArgs, "isMultiuse">) => {
  const row = await accessInvitation(tx, { ...args, isMultiuse: false });
  tx.audit({ type: "invitation_resent", before: whatAudited(row) });
  const renewed = perform(tx, [row], granted(stepInvitation(row.state, { type: "resent" }), refused));
  tellOfInvitations(tx, [row]);
  // One that still waits would be the second.
  tx.write((sql) => dropEmails(sql, tx.realmId, "invitation", [row.id]));
  mailInvitations(tx, renewed);
  return { email: row.email ?? "", link: invitationLink(tx.state, row.key) };
});

/** Ends the invitations whose time is over. */
export const expireInvitations = command(async (tx: Tx, _args: object) => {
  const overdue = await findOverdueInvitations(tx.sql, tx.realmId, tx.now);
  if (overdue.length > 0) {
    perform(tx, overdue, stepInvitation("open", { type: "clock.expired" }));
    tellOfInvitations(tx, overdue);
  }
  return { expired: overdue.length };
});

/** The open invitations that the user may see: administrators all, others their own. Newest first. */
export async function listInvitations(realm: RealmReader, user: UserRow): Promise<InvitationRecord[]> {
  const now = realm.environment.clock();
  const rows = await findOpenInvitations(realm.database.sql, realm.id, now, isAdmin(user) ? undefined : user.id);
  return rows.filter((row) => isInviterActive(realm.state, row)).map((row) => renderInvitation(realm.state, row));
}

/** Nobody joins by an invitation of somebody who is gone. */
export const isInviterActive = (state: RealmState, row: InvitationRow): boolean =>
  state.users.get(row.invited_by)?.is_active ?? false;

function renderInvitation(state: RealmState, row: InvitationRow): InvitationRecord {
  return {
    id: row.id,
    invited_by_user_id: row.invited_by,
    invited: row.date_created,
    expiry_date: row.expires_at,
    invited_as: row.invite_as,
    notify_referrer_on_join: row.notify_referrer_on_join,
    is_multiuse: row.email === null,
    ...(row.email === null ? { link_url: invitationLink(state, row.key) } : { email: row.email }),
  };
}

async function newRows(
  tx: Tx,
  user: UserRow,
  args: NewInvitationArgs,
  emails: readonly (string | null)[],
  notifyReferrer: boolean,
): Promise<InvitationRow[]> {
  const choices = checkChoices(tx.state, user, args);
  if ((await countOpenInvitations(tx.sql, tx.realmId, tx.now, user.id)) + emails.length > maxOpen)
    throw badRequest(`You can have at most ${maxOpen} open invitations.`);
  const ids = await tx.ids("object_ids", emails.length);
  const rows = emails.map(
    (email, index): InvitationRow => ({
      id: defined(ids[index], "new id"),
      realm_id: tx.realmId,
      key: newKey(),
      email,
      invited_by: user.id,
      date_created: tx.now,
      expires_at: expiryOf(tx.now, args.expiresInMinutes),
      state: "open",
      invite_as: choices.inviteAs,
      stream_ids: choices.channelIds,
      group_ids: choices.groupIds,
      include_realm_default_subscriptions: choices.includeDefaultChannels,
      welcome_message_custom_text: choices.welcomeText,
      notify_referrer_on_join: notifyReferrer,
    }),
  );
  if (rows.length > 0) tx.write((sql) => insertInvitations(sql, rows));
  for (const row of rows) tx.audit({ type: "invitation_created", after: whatAudited(row) });
  return rows;
}

/** What the audit log may know of an invitation: its key opens the door. */
const whatAudited = ({ id, email, invite_as, stream_ids, group_ids, expires_at }: InvitationRow) => ({
  id,
  email,
  invite_as,
  stream_ids,
  group_ids,
  expires_at,
});

/** An invitation that the actor may take back or send again. @throws BAD_REQUEST */
async function accessInvitation(tx: Tx, { actorId, invitationId, isMultiuse }: InvitationArgs): Promise<InvitationRow> {
  const user = tx.user(actorId);
  const row = await findInvitation(tx.sql, tx.realmId, invitationId);
  const isTheirs = row && (row.invited_by === user.id || isAdmin(user));
  if (!isTheirs || (row.email === null) !== isMultiuse) throw badRequest("No such invitation");
  if (row.invite_as === roles.owner && !isOwner(user)) throw badRequest("Must be an organization owner");
  return row;
}

/** Administrators and the inviters of these fetch their lists again. */
export function tellOfInvitations(tx: Tx, rows: readonly Pick<InvitationRow, "invited_by">[]): void {
  tx.event({ type: "invites_changed" }, { to: "admins" });
  const ids = [...new Set(rows.map((row) => row.invited_by))].filter((id) => {
    const inviter = tx.state.users.get(id);
    return inviter && !isAdmin(inviter);
  });
  if (ids.length > 0) tx.event({ type: "invites_changed" }, { to: "users", ids });
}

function failuresOf(email: string, check: () => unknown): InvitationFailure[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof ApiError) return [[email, error.message, false]];
    throw error;
  }
}
