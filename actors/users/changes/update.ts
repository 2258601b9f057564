/** Administrators changing an account: `PATCH /users/{user_id}`. */
import type { UserId } from "../../../storage/ids.ts";
import type { Role, UserRow } from "../../../storage/rows.ts";
import { badRequest, errors } from "../../errors.ts";
import { checkEmailDomain } from "../../organization/email-domains.ts";
import { isOwner, requireAdmin } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { checkFullName } from "./accounts.ts";
import { changeEmail, checkFreeEmail } from "./address.ts";
import { changeProfileData, checkProfileChanges, type ProfileChange } from "./profile.ts";
import { changeRole, checkRoleChange } from "./role.ts";
import { tellBot } from "./tell-bot.ts";

export interface UpdateUserArgs {
  actorId: UserId;
  userId: UserId;
  fullName?: string | undefined;
  role?: Role | undefined;
  profileData?: ProfileChange[] | undefined;
  newEmail?: string | undefined;
}

/** All of it or nothing. @throws BAD_REQUEST, UNAUTHORIZED_PRINCIPAL */
export const updateUser = command((tx: Tx, args: UpdateUserArgs) => {
  const { state } = tx;
  const actor = tx.user(args.actorId);
  requireAdmin(actor);
  const user = accessAccount(state, args.userId);
  const fullName = args.fullName === undefined ? user.full_name : checkFullName(args.fullName, state, user.id);
  if (args.role !== undefined) checkRoleChange(state, actor, user, args.role);
  if (args.profileData !== undefined && args.profileData.length > 0 && user.is_bot)
    throw badRequest("Bots have no custom profile fields.");
  const profileData = checkProfileChanges(state, args.profileData ?? [], false);
  const email = args.newEmail === undefined ? undefined : checkNewEmail(state, actor, user, args.newEmail);
  let next = changeFullName(tx, user, fullName);
  if (args.role !== undefined) next = changeRole(tx, next, args.role);
  next = changeProfileData(tx, next, profileData);
  if (email !== undefined) changeEmail(tx, next, email, true);
  return {};
});

/** An account that administrators manage: not one of the system's own, and not a deleted one. @throws BAD_REQUEST */
export function accessAccount(state: RealmState, userId: UserId): UserRow {
  const user = state.users.get(userId);
  if (!user || user.is_system_bot || user.is_deleted) throw badRequest("No such user");
  return user;
}

function checkNewEmail(state: RealmState, actor: UserRow, user: UserRow, email: string): string {
  if (!isOwner(actor)) throw errors.UNAUTHORIZED_PRINCIPAL("Must be an organization owner");
  if (!actor.can_change_user_emails) throw badRequest("User not authorized to change user emails");
  const checked = checkFreeEmail(state, email, user.id);
  if (checked !== user.delivery_email) checkEmailDomain(state, checked);
  return checked;
}

/** Gives somebody a name that has passed `checkFullName`. Returns the row as it will be. */
export function changeFullName(tx: Tx, user: UserRow, fullName: string): UserRow {
  if (fullName === user.full_name) return user;
  const next = { ...user, full_name: fullName };
  tx.put("users", next);
  tx.event(
    { type: "realm_user", op: "update", person: { user_id: user.id, full_name: fullName } },
    { to: "userViewers", userId: user.id },
  );
  if (user.is_bot) tellBot(tx, user, { full_name: fullName });
  return next;
}
