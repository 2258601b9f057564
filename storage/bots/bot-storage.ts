import type { RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

/** All values of a bot, or those of `keys`. */
export async function findBotStorage(
  sql: Sql,
  userId: UserId,
  keys: readonly string[] | undefined,
): Promise<Record<string, string>> {
  const rows = await sql<{ key: string; value: string }[]>`
    select key, value from bot_storage
    where user_id = ${userId} ${keys === undefined ? sql`` : sql`and key = any(${keys})`} order by key`;
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
}

/** Characters of a bot's keys and values, without the entries of `keys`. */
export async function botStorageSize(sql: Sql, userId: UserId, keys: readonly string[]): Promise<number> {
  const rows = await sql<{ size: number | null }[]>`
    select sum(length(key) + length(value))::bigint as size from bot_storage
    where user_id = ${userId} and not key = any(${keys})`;
  return rows[0]?.size ?? 0;
}

export async function putBotStorage(
  sql: Sql,
  realmId: RealmId,
  userId: UserId,
  entries: Readonly<Record<string, string>>,
): Promise<void> {
  await sql`
    insert into bot_storage (user_id, key, realm_id, value)
    select ${userId}::bigint, e.key, ${realmId}::int, e.value from json_each_text(${JSON.stringify(entries)}::text::json) e
    on conflict (user_id, key) do update set value = excluded.value`;
}

/** Removes these keys, or all when `keys` is undefined. */
export async function deleteBotStorage(sql: Sql, userId: UserId, keys: readonly string[] | undefined): Promise<void> {
  await sql`
    delete from bot_storage
    where user_id = ${userId} ${keys === undefined ? sql`` : sql`and key = any(${keys})`}`;
}
