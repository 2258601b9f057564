/** Deactivating, deleting and reactivating accounts, and first log-ins, as `account-machine.ts` decides. */
import { defined } from "../../../storage/failures.ts";
import type { UserId } from "../../../storage/ids.ts";
import { findLegalHolds } from "../../../storage/messages/legal-holds.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { deactivatedLetter } from "../../email/letters.ts";
import { queueEmails } from "../../email/queue.ts";
import { badRequest } from "../../errors.ts";
import type { PersonChange } from "../../events/people.ts";
import { granted } from "../../lifecycle.ts";
import { forgetPhones } from "../../push/changes/devices.ts";
import { isAdmin, isOwner } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import {
  type AccountAction,
  type AccountEvent,
  type AccountState,
  accountRefusals,
  stepAccount,
} from "../account-machine.ts";
import { isoTime } from "../record.ts";
import { close, erase, reopen } from "./account-changes.ts";
import { changeOwner } from "./bot-owner.ts";
import { welcomeAtFirstLogin } from "./newcomers.ts";
import { changeSystemGroups, isOnlyOwner } from "./role.ts";

export interface DeactivateUserArgs {
  actorId: UserId;
  userId: UserId;
  /** Whether the account is deleted for good. */
  deletesProfile?: boolean;
  /** The person is told of it by email, with this; undefined: they are not. */
  comment?: string | undefined;
}

/**
 * Answers the stored picture of a deleted account, which is to be removed.
 *
 * @throws UNAUTHORIZED_PRINCIPAL, BAD_REQUEST, CANNOT_DEACTIVATE_LAST_USER
 */
export const deactivateUser = command(async (tx: Tx, args: DeactivateUserArgs) => {
  const { state } = tx;
  const actor = tx.user(args.actorId);
  const found = findAccount(state, args.userId);
  // There is another endpoint for bots.
  const user = found?.is_bot ? undefined : found;
  if (!args.deletesProfile) endAccount(tx, actor, user);
  else await deleteAccount(tx, actor, args.userId, user);
  if (args.comment !== undefined && user && isReachableByEmail(user)) {
    const letter = deactivatedLetter(state, user, actor, args.comment);
    queueEmails(tx, { kind: "deactivated", recipient: user.delivery_email, letter });
  }
  return { avatar_path: (args.deletesProfile && user?.avatar_path) || null };
});

/**
 * Deletes an account for good, if the actor may and no legal hold is on it.
 *
 * @throws UNAUTHORIZED_PRINCIPAL, BAD_REQUEST
 */
export async function deleteAccount(tx: Tx, actor: UserRow, userId: UserId, user: UserRow | undefined): Promise<void> {
  await refuseHeld(tx, userId);
  if (user) await forgetPhones(tx, userId);
  step(tx, actor, user, askedErasure(tx.state, actor, user));
}

const askedErasure = (state: RealmState, actor: UserRow, user: UserRow | undefined): AccountEvent => ({
  type: "erasure.asked",
  byOwner: isOwner(actor),
  ...whatGoesWith(state, user),
});

/**
 * Whether `actor` may end the account of a person, or delete it for good.
 *
 * @throws UNAUTHORIZED_PRINCIPAL, BAD_REQUEST, CANNOT_DEACTIVATE_LAST_USER
 */
export async function checkMayEnd(tx: Tx, actor: UserRow, userId: UserId, deletesProfile: boolean): Promise<void> {
  const found = findAccount(tx.state, userId);
  const user = found?.is_bot ? undefined : found;
  if (deletesProfile) await refuseHeld(tx, userId);
  const event = (deletesProfile ? askedErasure : askedEnd)(tx.state, actor, user);
  granted(stepAccount(accountState(user), event), (refusal) => accountRefusals[refusal]());
}

/** @throws BAD_REQUEST while a legal hold is on the account */
export async function refuseHeld(tx: Tx, userId: UserId): Promise<void> {
  if ((await findLegalHolds(tx.sql, tx.realmId)).some((hold) => hold.user_id === userId))
    throw badRequest("A legal hold is on this account: it can be deactivated, and not be deleted.");
}

/** An address that nobody confirmed may be somebody else's. */
const isReachableByEmail = (user: UserRow): boolean => user.is_active && !user.has_unconfirmed_email;

/** @throws UNAUTHORIZED_PRINCIPAL, BAD_REQUEST */
export const reactivateUser = command((tx: Tx, { actorId, userId }: { actorId: UserId; userId: UserId }) => {
  reopenAccount(tx, tx.user(actorId), findAccount(tx.state, userId));
  return {};
});

/** Brings an account back, a person's or a bot's, if the actor may. @throws UNAUTHORIZED_PRINCIPAL, BAD_REQUEST */
export function reopenAccount(tx: Tx, actor: UserRow, user: UserRow | undefined): void {
  // A bot without an active owner belongs to whoever reactivates it: only they know its new key.
  const hasOwner = !user?.is_bot || tx.state.users.get(user.bot_owner_id ?? -1)?.is_active === true;
  step(tx, actor, user, {
    type: "return.asked",
    byAdmin: isAdmin(actor),
    byOwner: isOwner(actor),
    byBot: actor.is_bot,
    ofOwner: user !== undefined && isOwner(user),
    isStub: user?.is_imported_stub === true,
    isOrphan: !hasOwner,
  });
}

export interface LoginArgs {
  userId: UserId;
  /** How they showed who they are. Absent: a node of the version before asks. */
  how?: string;
}

/** Notes that somebody has logged in. */
export const noteLogin = command(async (tx: Tx, { userId, how }: LoginArgs) => {
  const user = tx.user(userId);
  if (how !== undefined) tx.audit({ type: "user_logged_in", userIds: [userId], after: { how } });
  const isFirst = user.first_login_at === null;
  step(tx, user, user, { type: "login.noted", isFirst });
  if (isFirst) await welcomeAtFirstLogin(tx, user);
  return {};
});

/**
 * Ends an account, a person's or a bot's, if the actor may.
 *
 * @throws UNAUTHORIZED_PRINCIPAL, BAD_REQUEST, CANNOT_DEACTIVATE_LAST_USER
 */
export function endAccount(tx: Tx, actor: UserRow, user: UserRow | undefined): void {
  step(tx, actor, user, askedEnd(tx.state, actor, user));
}

const askedEnd = (state: RealmState, actor: UserRow, user: UserRow | undefined): AccountEvent => ({
  type: "deactivation.asked",
  mayManage: user !== undefined && (actor.id === user.id || managesBot(actor, user)),
  byOwner: isOwner(actor),
  ofOwner: user !== undefined && isOwner(user),
  ...whatGoesWith(state, user),
});

/** An account that may be deactivated or reactivated: not one of the system's own. */
function findAccount(state: RealmState, userId: UserId): UserRow | undefined {
  const user = state.users.get(userId);
  return user?.is_system_bot ? undefined : user;
}

/** The state of an account's machine. One that does not exist counts as deleted. */
export function accountState(user: UserRow | undefined): AccountState {
  if (!user || user.is_deleted) return "deleted";
  if (!user.is_active) return "deactivated";
  return user.is_imported_stub ? "stub" : "active";
}

/** Whether without this account the organization would have no owner, or no people. Bots do not count. */
function whatGoesWith(state: RealmState, user: UserRow | undefined): { isOnlyOwner: boolean; isOnlyUser: boolean } {
  if (!user || user.is_bot) return { isOnlyOwner: false, isOnlyUser: false };
  let isOnlyUser = true;
  for (const other of state.users.values())
    if (other.id !== user.id && other.is_active && !other.is_bot) isOnlyUser = false;
  return { isOnlyOwner: isOnlyOwner(state, user), isOnlyUser };
}

/** Steps an account's machine, and does what it orders. @throws the error of its refusal */
function step(tx: Tx, actor: UserRow, user: UserRow | undefined, event: AccountEvent): void {
  const { actions } = granted(stepAccount(accountState(user), event), (refusal) => accountRefusals[refusal]());
  actions.reduce((row, action) => perform(tx, actor, defined(row, "such account"), action), user);
}

/** Performs one action of the machine. Returns the row as it will be. */
function perform(tx: Tx, actor: UserRow, user: UserRow, action: AccountAction): UserRow {
  switch (action) {
    case "endBots":
      for (const bot of activeBotsOf(tx.state, user.id)) step(tx, actor, bot, { type: "owner.left" });
      return user;
    case "close":
      return close(tx, user);
    case "erase":
      return erase(tx, user);
    case "adopt":
      return changeOwner(tx, user, actor, true);
    case "reopen":
      return reopen(tx, user);
    case "join":
      return join(tx, user);
    case "claim":
      tellOf(tx, user, { is_imported_stub: false });
      return put(tx, { ...user, is_imported_stub: false });
    case "regroup":
      // Somebody who joined today is no full member yet, if the organization has a waiting period.
      changeSystemGroups(tx, tx.state.users.get(user.id), user);
      return user;
    default:
      return action satisfies never;
  }
}

function activeBotsOf(state: RealmState, ownerId: UserId): UserRow[] {
  const bots: UserRow[] = [];
  for (const user of state.users.values()) if (user.bot_owner_id === ownerId && user.is_active) bots.push(user);
  return bots;
}

/** The first log-in: an account made for somebody counts as joined now. */
function join(tx: Tx, user: UserRow): UserRow {
  if (tx.now !== user.date_joined) tellOf(tx, user, { date_joined: isoTime(tx.now) });
  return put(tx, { ...user, first_login_at: tx.now, date_joined: tx.now });
}

function put(tx: Tx, user: UserRow): UserRow {
  tx.put("users", user);
  return user;
}

function tellOf(tx: Tx, { id: user_id }: UserRow, change: PersonChange): void {
  tx.event(
    { type: "realm_user", op: "update", person: { user_id, ...change } },
    { to: "userViewers", userId: user_id },
  );
}

/** Whether `actor` manages a bot: it is theirs, or they are an administrator. */
export function managesBot(actor: UserRow, bot: UserRow): boolean {
  return bot.bot_owner_id === actor.id || isAdmin(actor);
}
