/**
 * Whose a bot is. A bot reaches some things through its owner (see `ownerBehind` in `actors/realm/access.ts`), so
 * nobody is made the owner of a bot by whom they could be spied on: only administrators give bots to others, each gift
 * has a new key, and the bot does nothing through its owner until they take it.
 */
import { deleteQueuesOfUser } from "../../storage/event-queues.ts";
import type { UserRow } from "../../storage/rows.ts";
import { isAdmin, notTaken } from "../realm/access.ts";
import type { Tx } from "../realm/transaction.ts";
import { changeKey } from "../users/key-change.ts";
import { renderBot } from "./record.ts";

/**
 * Gives a bot to somebody; its key, queues and log-ins end. The old owner loses the bot, the new one gets it,
 * administrators see who has it. Returns the row as it will be.
 *
 * @param isTaken whether the new owner asked for it
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
    tx.event({ type: "realm_bot", op: "add", bot: renderBot(tx.state, next) }, { to: "users", ids: [owner.id] });
  }
  return next;
}

/**
 * The owner of a bot that was given to them takes it: from now on it acts through them. Returns the row as it will be.
 */
export function takeBot(tx: Tx, bot: UserRow): UserRow {
  if (bot.settings[notTaken] === undefined) return bot;
  const { [notTaken]: _, ...settings } = bot.settings;
  const next = { ...bot, settings };
  tx.put("users", next);
  return next;
}
