/** A bot's key-value storage, kept between its runs. */
import { botStorageSize, deleteBotStorage, findBotStorage, putBotStorage } from "../../../storage/bots/bot-storage.ts";
import type { UserId } from "../../../storage/ids.ts";
import type { Sql } from "../../../storage/postgres.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { badRequest } from "../../errors.ts";
import { command } from "../../realm/command.ts";
import type { RealmReader } from "../../realm/reader.ts";
import type { Tx } from "../../realm/transaction.ts";
import { isLonger } from "../../text/texts.ts";

/** Characters of all keys and values of a bot together. */
const maxCharacters = 10_000_000;
/** Characters of a key: an index holds it. */
const maxKeyLength = 500;
/** Keys of one request. A request is one statement, and all other writes wait for it. */
export const maxKeys = 1000;

/** The values of `keys`, or all values. @throws BAD_REQUEST when a key has no value, or there are too many keys */
export function accessBotStorage(
  { database }: RealmReader,
  bot: UserRow,
  keys: readonly string[] | undefined,
): Promise<Record<string, string>> {
  checkCount(keys);
  return accessValues(database.sql, bot.id, keys);
}

async function accessValues(
  sql: Sql,
  userId: UserId,
  keys: readonly string[] | undefined,
): Promise<Record<string, string>> {
  const found = await findBotStorage(sql, userId, keys);
  if (keys?.some((key) => !Object.hasOwn(found, key))) throw badRequest("Key does not exist.");
  return found;
}

/** @throws BAD_REQUEST */
function checkCount(keys: readonly string[] | undefined): void {
  if (keys && keys.length > maxKeys) throw badRequest(`A request may name at most ${maxKeys} keys.`);
}

/** Sets values. @throws BAD_REQUEST past a limit */
export const updateBotStorage = command(async (tx: Tx, args: { userId: UserId; storage: Record<string, string> }) => {
  const user = tx.user(args.userId);
  const keys = Object.keys(args.storage);
  checkCount(keys);
  if (keys.some((key) => isLonger(key, maxKeyLength)))
    throw badRequest(`A key is too long (limit: ${maxKeyLength} characters)`);
  let size = await botStorageSize(tx.sql, user.id, keys);
  for (const [key, value] of Object.entries(args.storage)) size += countCharacters(key) + countCharacters(value);
  if (size > maxCharacters) {
    throw badRequest(
      `Request exceeds storage limit by ${size - maxCharacters} characters. The limit is ${maxCharacters} characters.`,
    );
  }
  if (keys.length > 0) tx.write((sql) => putBotStorage(sql, tx.realmId, user.id, args.storage));
  return {};
});

/** Counts code points without making an array of them: a value may have millions. */
function countCharacters(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index++) if ((text.charCodeAt(index) & 0xfc00) === 0xdc00) count--;
  return count;
}

/** Removes the values of `keys`, or all values. */
export const removeBotStorage = command(async (tx: Tx, args: { userId: UserId; keys: string[] | undefined }) => {
  const user = tx.user(args.userId);
  checkCount(args.keys);
  if (args.keys) await accessValues(tx.sql, user.id, args.keys);
  tx.write((sql) => deleteBotStorage(sql, user.id, args.keys));
  return {};
});
