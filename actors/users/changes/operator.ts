/**
 * What whoever runs the server does to accounts from the command line. No role keeps them from it, but an organization
 * is never left without an owner.
 */
import type { SessionId, UserId } from "../../../storage/ids.ts";
import { type Role, roles, type UserRow } from "../../../storage/rows.ts";
import { badRequest } from "../../errors.ts";
import { forgetPhones } from "../../push/changes/devices.ts";
import { command } from "../../realm/command.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { changeEmail, checkFreeEmail } from "./address.ts";
import { endFurtherKeysOf } from "./further-keys.ts";
import { changeKey, setPassword } from "./key-change.ts";
import { changeRole, isOnlyOwner } from "./role.ts";
import { endOne, endSessionsOf } from "./sessions.ts";
import { accessAccount } from "./update.ts";

/** In whose name an operator acts where somebody has to: an owner's. @throws BAD_REQUEST when there is none */
export function operatorOf(state: RealmState): UserRow {
  const id = state.roles.members(roles.owner).find((member) => state.users.get(member)?.is_bot === false);
  const owner = id === undefined ? undefined : state.users.get(id);
  if (!owner) throw badRequest("The organization has no active owner: parley user role makes somebody one.");
  return owner;
}

export interface OperateAccountArgs {
  userId: UserId;
  role?: Role;
  /** Known to be theirs: whoever runs the server says so. */
  email?: string;
  passwordHash?: string;
  /** Ends log-ins in browsers: all, or the one that is named. */
  logsOut?: boolean;
  sessionId?: SessionId | undefined;
  /** A new key, which logs applications out. */
  changesKey?: boolean;
}

/** All of it or nothing. @throws BAD_REQUEST; a 404 for a log-in that there is not */
export const operateAccount = command(async (tx: Tx, args: OperateAccountArgs) => {
  const { state } = tx;
  const user = accessAccount(state, args.userId);
  const { role, email, passwordHash } = args;
  if (role !== undefined && role !== roles.owner && isOnlyOwner(state, user))
    throw badRequest("The owner permission cannot be removed from the only organization owner.");
  if (user.is_bot && (email !== undefined || passwordHash !== undefined))
    throw badRequest("Bots have no password, and no address of their own.");
  const address = email === undefined ? undefined : checkFreeEmail(state, email, user.id);
  let next = role === undefined ? user : changeRole(tx, user, role);
  if (address !== undefined) next = changeEmail(tx, next, address, true);
  if (passwordHash !== undefined) next = setPassword(tx, next, passwordHash);
  if (args.logsOut === true && args.sessionId !== undefined) await endOne(tx, user.id, args.sessionId);
  else if (args.logsOut === true) {
    tx.audit({ type: "user_sessions_ended", userIds: [user.id] });
    endSessionsOf(tx, user.id);
  }
  if (args.changesKey === true) {
    changeKey(tx, next);
    await endFurtherKeysOf(tx, user.id);
    await forgetPhones(tx, user.id);
  }
  return {};
});
