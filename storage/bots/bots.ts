/** Bots with their keys: what only PostgreSQL can answer, in whatever snapshot the caller reads. */
import type { RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";
import type { UserRow } from "../rows.ts";

/** The bots of one owner, or of the whole realm, by ascending id. System bots have no owner. */
export async function findBots(
  sql: Sql,
  realmId: RealmId,
  ownerId: UserId | undefined,
): Promise<(UserRow & { api_key: string })[]> {
  // Unsafe: one value stands in several places, and is sent once.
  return sql.unsafe<(UserRow & { api_key: string })[]>(
    `select u.*, c.api_key from users u join credentials c on c.user_id = u.id
     where u.realm_id = $1 and u.is_bot and not u.is_system_bot and ($2::bigint is null or u.bot_owner_id = $2)
     order by u.id`,
    [realmId, ownerId ?? null],
  );
}
