/** What an administrator changes in somebody's account: `PATCH /users/{user_id}`. */
import type { UserRow } from "../../storage/rows.ts";
import { badRequest } from "../errors.ts";
import { requireAdmin } from "./access.ts";
import { command } from "./command.ts";
import type { Tx } from "./tx.ts";
import { changeRole, checkRoleChange, type Role } from "./user-role.ts";
import { checkFullName } from "./users.ts";

export interface UpdateUserArgs {
  actorId: number;
  userId: number;
  fullName?: string;
  role?: Role;
}

/** All of it or nothing. @throws BAD_REQUEST, UNAUTHORIZED_PRINCIPAL */
export const updateUser = command((tx: Tx, args: UpdateUserArgs) => {
  const actor = tx.user(args.actorId);
  requireAdmin(actor);
  const user = tx.state.users.get(args.userId);
  if (!user || user.is_system_bot) throw badRequest("No such user");
  const fullName = args.fullName === undefined ? user.full_name : checkFullName(args.fullName);
  if (args.role !== undefined) checkRoleChange(tx.state, actor, user, args.role);
  let next: UserRow = user;
  next = changeFullName(tx, next, fullName);
  if (args.role !== undefined) next = changeRole(tx, next, args.role);
  return {};
});

/** Renames somebody, in a form that `checkFullName` let pass. Returns the row as it will be. */
export function changeFullName(tx: Tx, user: UserRow, fullName: string): UserRow {
  if (fullName === user.full_name) return user;
  const next = { ...user, full_name: fullName };
  tx.put("users", next);
  tx.event(
    { type: "realm_user", op: "update", person: { user_id: user.id, full_name: fullName } },
    { to: "userViewers", userId: user.id },
  );
  return next;
}
