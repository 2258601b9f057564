/** `realm_bot` events. They go to the bot's owner and the administrators. */
import type { UserRow } from "../../storage/rows.ts";
import type { RealmEvent } from "../events/events.ts";
import { isAdmin } from "../realm/access.ts";
import type { Tx } from "../realm/transaction.ts";

/** Sends the changed fields of a bot. */
export function tellBot(tx: Tx, bot: UserRow, changes: Record<string, unknown>): void {
  toManagers(tx, bot, { type: "realm_bot", op: "update", bot: { user_id: bot.id, ...changes } });
}

/** Logs an event for the bot's owner and the administrators. Each gets it once. */
export function toManagers(tx: Tx, bot: UserRow, event: RealmEvent): void {
  const owner = bot.bot_owner_id === null ? undefined : tx.state.users.get(bot.bot_owner_id);
  tx.event(event, { to: "admins" });
  if (owner && !isAdmin(owner)) tx.event(event, { to: "users", ids: [owner.id] });
}
