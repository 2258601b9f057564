/** Bots with their keys, which only PostgreSQL has. Reads in the caller's snapshot. */
import type { RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";
import type { UserRow } from "../rows.ts";
import { type StoredKey, showKey } from "../users/credentials.ts";

/** The bots of one owner, or of the whole realm, ascending by id. System bots have no owner. */
export async function findBots(
  sql: Sql,
  realmId: RealmId,
  ownerId: UserId | undefined,
): Promise<(UserRow & { api_key: string })[]> {
  // Unsafe: one value is used in several places, and sent once.
  const rows = await sql.unsafe<(UserRow & StoredKey)[]>(
    `select u.*, c.api_key, c.api_key_sealed from users u join credentials c on c.user_id = u.id
     where u.realm_id = $1 and u.is_bot and not u.is_system_bot and ($2::bigint is null or u.bot_owner_id = $2)
     order by u.id`,
    [realmId, ownerId ?? null],
  );
  return rows.map(({ api_key, api_key_sealed, ...bot }) => ({
    ...bot,
    api_key: showKey(sql, bot.id, { api_key, api_key_sealed }),
  }));
}
