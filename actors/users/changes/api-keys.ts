/** Who may have which API key: their own, and those of bots that they manage and whose role is not above theirs. */

import { defined } from "../../../storage/failures.ts";
import type { SessionId, UserId } from "../../../storage/ids.ts";
import { translate } from "../../../storage/postgres.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { type Credentials, findApiKey, findByApiKey } from "../../../storage/users/credentials.ts";
import { badRequest, errors } from "../../errors.ts";
import { forgetPhones } from "../../push/changes/devices.ts";
import { command } from "../../realm/command.ts";
import type { RealmReader } from "../../realm/reader.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { takeBot } from "./bot-owner.ts";
import { changeKey } from "./key-change.ts";
import { managesBot } from "./states.ts";

interface RegenerateArgs {
  actorId: UserId;
  userId: UserId;
  /** The caller's log-in, for their own key: it does not end. */
  sessionId?: SessionId | undefined;
}

/**
 * Makes a new key for the caller, or for a bot that they manage. An owner to whom the bot was given accepts it by this.
 * Phones that the caller has registered are told nothing any more.
 *
 * @throws BAD_REQUEST, UNAUTHORIZED_PRINCIPAL
 */
export const regenerateApiKey = command(async (tx: Tx, { actorId, userId, sessionId }: RegenerateArgs) => {
  const actor = tx.user(actorId);
  const user = actorId === userId ? actor : accessBotOfRank(tx.state, actor, userId);
  const { user: next, apiKey } = changeKey(tx, user, sessionId);
  if (user.bot_owner_id === actor.id) takeBot(tx, next);
  if (user.id === actor.id) await forgetPhones(tx, user.id);
  return { api_key: apiKey };
});

/** The account that has the key, in any realm, with its `api_key_version` at the same moment. */
export async function findKeyHolder(
  { database }: RealmReader,
  apiKey: string,
): Promise<(Credentials & { api_key_version: number }) | undefined> {
  try {
    return await findByApiKey(database.sql, apiKey);
  } catch (error) {
    throw translate(error);
  }
}

/** The key of an account that has logged in. */
export async function readApiKey({ database }: RealmReader, user: UserRow): Promise<string> {
  return defined(await findApiKey(database.sql, user.id), "API key");
}

/** The key of a bot that `actor` manages. @throws BAD_REQUEST, UNAUTHORIZED_PRINCIPAL */
export async function findBotKey(realm: RealmReader, actor: UserRow, botId: UserId): Promise<string> {
  const bot = accessBotOfRank(realm.state, actor, botId);
  const apiKey = await findApiKey(realm.database.sql, bot.id);
  // Its role or its owner may have changed while the key was read.
  const [now, reader] = [realm.state.users.get(bot.id), realm.state.users.get(actor.id)];
  if (apiKey === undefined || !reader?.is_active || now?.api_key_version !== bot.api_key_version)
    throw badRequest("No such bot");
  accessBotOfRank(realm.state, reader, botId);
  return apiKey;
}

/** Whether a bot's key gives the actor no higher role than their own: a key carries the bot's role. */
export const isOfRank = (actor: UserRow, bot: UserRow): boolean => bot.role >= actor.role;

/** A bot that `actor` manages. @throws BAD_REQUEST, as for one that does not exist */
export function accessBot(state: RealmState, actor: UserRow, botId: UserId): UserRow {
  const bot = state.users.get(botId);
  if (!bot?.is_bot || bot.is_system_bot || bot.is_deleted || !managesBot(actor, bot)) throw badRequest("No such bot");
  return bot;
}

/** A bot whose key the actor may have. @throws BAD_REQUEST, UNAUTHORIZED_PRINCIPAL */
export function accessBotOfRank(state: RealmState, actor: UserRow, botId: UserId): UserRow {
  const bot = accessBot(state, actor, botId);
  if (!isOfRank(actor, bot)) throw errors.UNAUTHORIZED_PRINCIPAL("This bot has a role above your own.");
  return bot;
}
