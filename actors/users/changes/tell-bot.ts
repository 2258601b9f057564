/** `realm_bot` events. They go to the bot's owner and the administrators. */
import type { UserRow } from "../../../storage/rows.ts";
import type { EventOf, RealmEvent } from "../../events/events.ts";
import { isAdmin } from "../../realm/access.ts";
import type { Tx } from "../../realm/transaction.ts";

type BotChange = Omit<Extract<EventOf<"realm_bot">, { op: "update" }>["bot"], "user_id">;

/** Sends the changed fields of a bot. */
export function tellBot(tx: Tx, bot: UserRow, changes: BotChange): void {
  toManagers(tx, bot, () => ({ type: "realm_bot", op: "update", bot: { user_id: bot.id, ...changes } }));
}

/**
 * Logs an event for the bot's owner and the administrators. Each gets it once.
 *
 * @param eventFor the event as a viewer may know it; undefined: an administrator
 */
export function toManagers(tx: Tx, bot: UserRow, eventFor: (viewer: UserRow | undefined) => RealmEvent): void {
  const owner = bot.bot_owner_id === null ? undefined : tx.state.users.get(bot.bot_owner_id);
  tx.event(eventFor(undefined), { to: "admins" });
  if (owner && !isAdmin(owner)) tx.event(eventFor(owner), { to: "users", ids: [owner.id] });
}
