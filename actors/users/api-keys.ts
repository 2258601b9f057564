/** New API keys: the old one is forgotten by every node with the commit. */
import { updateCredentials } from "../../storage/credentials.ts";
import { generateApiKey } from "../../storage/passwords.ts";
import type { UserRow } from "../../storage/rows.ts";
import { tellBot } from "../bots/events.ts";
import { badRequest } from "../errors.ts";
import { command } from "../realm/command.ts";
import type { Tx } from "../realm/transaction.ts";
import { managesBot } from "./states.ts";

/** A new key for the caller, or for a bot that they manage. @throws BAD_REQUEST */
export const regenerateApiKey = command((tx: Tx, { actorId, userId }: { actorId: number; userId: number }) => {
  const actor = tx.user(actorId);
  const user = actorId === userId ? actor : accessBot(tx, actor, userId);
  const api_key = generateApiKey();
  tx.put("users", { ...user, api_key_version: user.api_key_version + 1 });
  tx.write((sql) => updateCredentials(sql, user.id, { apiKey: api_key }));
  if (user.is_bot) tellBot(tx, user, { api_key });
  return { api_key };
});

/** A bot that `actor` manages. @throws BAD_REQUEST like for one that does not exist */
export function accessBot(tx: Tx, actor: UserRow, botId: number): UserRow {
  const bot = tx.state.users.get(botId);
  if (!bot?.is_bot || bot.is_system_bot || bot.is_deleted || !managesBot(actor, bot)) throw badRequest("No such bot");
  return bot;
}
