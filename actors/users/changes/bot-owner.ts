/**
 * Owners of bots. A bot reaches some things through its owner (see `ownerBehind` in `actors/realm/access.ts`). So a
 * gift must not let the giver spy on the new owner. Only administrators give bots to others, a given bot gets a new
 * key, and it does nothing through its new owner until they accept it.
 */
import { deleteQueuesOfUser } from "../../../storage/event-queues.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { renderBot } from "../../bots/record.ts";
import { isAdmin, notTaken } from "../../realm/access.ts";
import type { Tx } from "../../realm/transaction.ts";
import { changeKey } from "./key-change.ts";

/**
 * Gives a bot to another owner. Its key, queues and log-ins end. The old owner is told that the bot is gone, the new
 * owner that it is there, and administrators see the new owner. Returns the changed row.
 *
 * @param isTaken whether the new owner asked for the bot
 */
export function changeOwner(tx: Tx, bot: UserRow, owner: UserRow, isTaken: boolean): UserRow {
  const given = { ...bot, bot_owner_id: owner.id, settings: { ...bot.settings, [notTaken]: true } };
  const { user } = changeKey(tx, given);
  const next = isTaken ? takeBot(tx, user) : user;
  tx.write((sql) => deleteQueuesOfUser(sql, bot.id));
  tx.event(
    { type: "realm_user", op: "update", person: { user_id: bot.id, bot_owner_id: owner.id } },
    { to: "userViewers", userId: bot.id },
  );
  const old = bot.bot_owner_id === null ? undefined : tx.state.users.get(bot.bot_owner_id);
  if (old && !isAdmin(old)) {
    tx.event({ type: "realm_bot", op: "delete", bot: { user_id: bot.id } }, { to: "users", ids: [old.id] });
  }
  tx.event({ type: "realm_bot", op: "update", bot: { user_id: bot.id, owner_id: owner.id } }, { to: "admins" });
  if (!isAdmin(owner)) {
    tx.event({ type: "realm_bot", op: "add", bot: renderBot(tx.state, next, owner) }, { to: "users", ids: [owner.id] });
  }
  return next;
}

/** The new owner accepts a given bot. From now on it acts through them. Returns the changed row. */
export function takeBot(tx: Tx, bot: UserRow): UserRow {
  if (bot.settings[notTaken] === undefined) return bot;
  const { [notTaken]: _, ...settings } = bot.settings;
  const next = { ...bot, settings };
  tx.put("users", next);
  return next;
}
