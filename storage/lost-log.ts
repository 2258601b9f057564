/**
 * A log whose newest entries are not there any more. A standby that was behind was promoted, or an older state of the
 * database was put back. Whoever was told of them has to fetch everything anew.
 */
import type { LogPosition, RealmId } from "./ids.ts";
import type { Sql } from "./postgres.ts";

/**
 * Looks for an entry that was seen stored. Its log drops entries when they are old, the oldest first. So one that is
 * missing was lost only where an earlier one is left.
 *
 * @param seen the newest position that was seen stored
 * @returns the position up to which the log is whole; undefined: nothing was lost
 */
export async function findLoss(sql: Sql, realmId: RealmId, seen: LogPosition): Promise<LogPosition | undefined> {
  const [row] = await sql<{ kept: LogPosition | null }[]>`
    select case when not exists (select from realm_log where realm_id = ${realmId} and position = ${seen}::bigint)
      then (select max(position) from realm_log where realm_id = ${realmId} and position < ${seen}::bigint) end as kept`;
  return row?.kept ?? undefined;
}

/** What a node knew before the log may have lost its end. */
export interface KnownBefore {
  /** The newest position that clients were told. */
  told: LogPosition;
  /** The newest that was seen stored. */
  stored: LogPosition;
}

/**
 * Where the log lacks what was known, ends every queue whose client was told of it, on whichever node that asks next.
 * @returns what `findLoss` does
 */
export async function endQueuesBeyondLog(
  sql: Sql,
  realmId: RealmId,
  { told, stored }: KnownBefore,
): Promise<LogPosition | undefined> {
  const kept = await findLoss(sql, realmId, stored);
  if (kept !== undefined)
    await sql`
      update realms set log_kept_until = ${kept}::bigint, log_lost_until = ${told}::bigint where id = ${realmId}`;
  return kept;
}
