/**
 * A log whose newest entries are not there any more. A standby that was behind was promoted, or an older state of the
 * database was put back. Whoever was told of them has to fetch everything anew.
 */
import type { LogPosition, RealmId } from "./ids.ts";
import { lostBlock } from "./log/next-term.ts";
import { blocksLost, type WrittenUnder } from "./log/promotions.ts";
import type { Database, Sql } from "./postgres.ts";

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

/**
 * Where the log lacks what was known, ends every queue whose client was told of it, on whichever node that asks next.
 * @param known the newest position that clients were told, and the newest that was seen stored
 * @returns what `findLoss` does
 */
export async function endQueuesBeyondLog(
  sql: Sql,
  realmId: RealmId,
  { told, stored }: { told: LogPosition; stored: LogPosition },
): Promise<LogPosition | undefined> {
  const kept = await findLoss(sql, realmId, stored);
  if (kept !== undefined)
    await sql`
      update realms set log_kept_until = ${kept}::bigint, log_lost_until = ${told}::bigint where id = ${realmId}`;
  return kept;
}

/**
 * The same for a node that was not there when a standby was promoted, and cannot know what was lost. Every queue ends
 * whose client knows of a position beyond the log, though that may have been of an event that is not stored.
 * @returns the log's end; undefined: no standby was promoted since the realm's last term began
 */
export async function endQueuesAfterPromotion(database: Database, realmId: RealmId): Promise<LogPosition | undefined> {
  const { sql } = database;
  const [row] = await sql<(WrittenUnder & { epoch: number; reserved: LogPosition })[]>`
    select writer_epoch as epoch, position_reserved as reserved, writer_system as system, writer_timeline as timeline
    from realms where id = ${realmId}`;
  // A node of the version before writes no timeline, and may have told of positions since.
  if (row?.timeline == null) return undefined;
  const blocks = blocksLost(row, database.answering);
  if (blocks === 0) return undefined;
  // Who begins a term meanwhile has seen to it.
  const [ended] = await sql<{ kept: LogPosition }[]>`
    update realms set log_lost_until = ${row.reserved + blocks * lostBlock}::bigint,
      log_kept_until = coalesce((select max(position) from realm_log where realm_id = ${realmId}), 0)
    where id = ${realmId} and writer_epoch = ${row.epoch} returning log_kept_until as kept`;
  return ended?.kept;
}
