/** Log-ins of others, as administrators know and end them. */
import type { UserId } from "../../../storage/ids.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { findSessionsOf } from "../../../storage/users/sessions.ts";
import { errors } from "../../errors.ts";
import { isOwner, requireAdmin } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { endSessionsOf } from "./sessions.ts";
import { accessAccount } from "./update.ts";

/** Ends every log-in of somebody, as an administrator; of an owner, as an owner. Returns their number. */
export const endSessionsOfUser = command(
  async (tx: Tx, { actorId, userId }: { actorId: UserId; userId: UserId }): Promise<{ ended: number }> => {
    const actor = tx.user(actorId);
    requireAdmin(actor);
    const user = accessSessions(tx.state, actor, userId);
    const ended = await findSessionsOf(tx.sql, user.id, tx.now);
    endSessionsOf(tx, user.id);
    if (ended.length > 0)
      tx.audit({ type: "user_sessions_ended", userIds: [user.id], before: { session_ids: ended.map(({ id }) => id) } });
    return { ended: ended.length };
  },
);

/** An account of whose log-ins an administrator may know. @throws BAD_REQUEST, UNAUTHORIZED_PRINCIPAL for an owner's */
export function accessSessions(state: RealmState, actor: UserRow, userId: UserId): UserRow {
  const user = accessAccount(state, userId);
  if (isOwner(user) && !isOwner(actor)) throw errors.UNAUTHORIZED_PRINCIPAL("Must be an organization owner");
  return user;
}
