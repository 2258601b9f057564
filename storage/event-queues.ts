/** Registrations of event queues: enough to revive a queue on any node, after any crash. */
import type { LogPosition, RealmId, SessionId, UserId } from "./ids.ts";
import type { Sql } from "./postgres.ts";

export interface EventQueueRow {
  id: string;
  realm_id: RealmId;
  user_id: UserId;
  registration: object;
  /** `last_event_id` of the register answer: earlier events are in its state. */
  start_position: LogPosition;
  /** The position at which the replica's part of that state was read: `start_position` or later. */
  snapshot_position: LogPosition;
  /** Acknowledged up to here when the row was last written. */
  cursor: LogPosition;
  idle_timeout_secs: number;
  /** UNIX seconds of the last poll, as of the last write. */
  seen_at: number;
  claim: number;
  /** Of the log-in that registered it, with which it ends. */
  session_hash: Buffer | null;
}

export interface NewQueueRow extends Omit<EventQueueRow, "claim"> {
  /** When the server began that its client was told of, UNIX seconds. */
  generation: number;
}

export async function insertEventQueue(sql: Sql, row: NewQueueRow): Promise<void> {
  await sql`
    insert into event_queues (id, realm_id, user_id, registration, start_position, snapshot_position, cursor,
      idle_timeout_secs, seen_at, session_hash, generation)
    values (${row.id}, ${row.realm_id}, ${row.user_id}, ${JSON.stringify(row.registration)}::text::jsonb, ${row.start_position},
            ${row.snapshot_position}, ${row.cursor}, ${row.idle_timeout_secs}, ${row.seen_at}, ${row.session_hash},
            ${row.generation})`;
}

/** A queue's row as its new holder gets it. */
export interface ClaimedRow extends EventQueueRow {
  /** Of the log-in that registered it. */
  session_id: SessionId | null;
  /** Its client was told of something that the log lost. */
  is_beyond_log: boolean;
}

/** Whether there are queues whose clients know a server that began before another one (UNIX seconds). */
export async function hasEarlierQueues(sql: Sql, realmId: RealmId, generation: number): Promise<boolean> {
  const rows = await sql`
    select from event_queues where realm_id = ${realmId} and generation < ${generation} limit 1`;
  return rows.length > 0;
}

/**
 * Takes over a queue of this user from whichever node has it. Of several nodes the one with the highest `claim` has it.
 * @param queue.lastEventId what its client has; below 0: what its row says
 * @returns the registration as it was last written, with the new claim
 */
export async function claimEventQueue(
  sql: Sql,
  queue: { id: string; realmId: RealmId; userId: UserId; lastEventId: LogPosition },
): Promise<ClaimedRow | undefined> {
  const rows = await sql<ClaimedRow[]>`
    update event_queues set claim = claim + 1
    where id = ${queue.id}::uuid and realm_id = ${queue.realmId} and user_id = ${queue.userId}
    returning *, (select s.id from sessions s where s.token_hash = session_hash) as session_id,
      exists (
        select from realms r where r.id = realm_id
          and greatest(cursor, ${queue.lastEventId}::bigint) > r.log_kept_until
          and greatest(cursor, ${queue.lastEventId}::bigint) <= r.log_lost_until) as is_beyond_log`;
  return rows[0];
}

/** A queue as a node knows it, with the claim under which it has it. */
export interface ClaimedQueue {
  id: string;
  claim: number;
}

/** Deletes all queues of a user, on whichever node. */
export async function deleteQueuesOfUser(sql: Sql, userId: UserId): Promise<void> {
  await sql`delete from event_queues where user_id = ${userId}`;
}

/** Deletes queues, except those that another node has taken over since. */
export async function deleteEventQueues(sql: Sql, queues: readonly ClaimedQueue[]): Promise<void> {
  if (queues.length === 0) return;
  await sql`
    delete from event_queues q using json_to_recordset(${JSON.stringify(queues)}::text::json) as r(id uuid, claim integer)
    where q.id = r.id and q.claim = r.claim`;
}

/**
 * Saves how far the clients of many queues have read, in one statement.
 * @returns ids of queues that this node no longer has: another one took them over, or they were deleted
 */
export async function saveCursors(
  sql: Sql,
  queues: readonly (ClaimedQueue & { cursor: LogPosition; seen_at: number })[],
): Promise<string[]> {
  if (queues.length === 0) return [];
  const kept = await sql<{ id: string }[]>`
    update event_queues q set cursor = greatest(q.cursor, r.cursor), seen_at = greatest(q.seen_at, r.seen_at)
    from json_to_recordset(${JSON.stringify(queues)}::text::json) as r(id uuid, claim integer, cursor bigint, seen_at bigint)
    where q.id = r.id and q.claim = r.claim returning q.id`;
  const ids = new Set(kept.map(({ id }) => id));
  return queues.filter(({ id }) => !ids.has(id)).map(({ id }) => id);
}

/** A queue's row is saved again when its last poll there is out of date by this share (1/4) of the time-out. */
const savedShare = 4;
const minSaveSecs = 15;

/** By how many seconds the last poll in a queue's row may be out of date. Then the row is saved. */
export function rowLagSecs(idleTimeoutSecs: number): number {
  return Math.max(minSaveSecs, Math.ceil(idleTimeoutSecs / savedShare));
}

/** A node's clock at one moment, UNIX seconds. */
export interface ClockReading {
  now: number;
  /** Since when the clock has run without being set, and this node has served. */
  since: number;
}

/** Both are of one moment: between two looks the clock may be set. */
export const readClock = ({ clock, steadySince }: { clock(): number; steadySince(): number }): ClockReading => ({
  now: clock(),
  since: steadySince(),
});

/**
 * For how long nobody has polled a queue that no node holds. Time in which no node was up, or by which the clock was
 * set, does not count. Nor does the time since the row was last saved.
 */
export const unpolledSecs = (
  { seen_at, idle_timeout_secs }: Pick<EventQueueRow, "seen_at" | "idle_timeout_secs">,
  { now, since }: ClockReading,
): number => now - Math.max(seen_at + rowLagSecs(idle_timeout_secs), since);

/**
 * Deletes the queues of accounts beyond `max`, those that were polled longest ago. A node that holds one releases it.
 */
export async function deleteSurplusQueues(sql: Sql, max: number): Promise<void> {
  await sql`
    delete from event_queues using (
      select id, row_number() over (partition by user_id order by seen_at desc, id) as place from event_queues
      where user_id in (select user_id from event_queues group by user_id having count(*) > ${max}::int)
    ) ranked
    where event_queues.id = ranked.id and ranked.place > ${max}::int`;
}

/** Nodes save their queues about once a second, busy ones a little later. */
export const flushSlackSecs = 120;

/** Deletes queues that no node holds and nobody polled for their time-out, as `unpolledSecs` counts it. */
export async function deleteExpiredQueues(sql: Sql, { now, since }: ClockReading): Promise<void> {
  await sql`
    delete from event_queues
    where greatest(seen_at + greatest(ceil(idle_timeout_secs / ${savedShare}::numeric), ${minSaveSecs}::int), ${since}::bigint)
          + idle_timeout_secs + ${flushSlackSecs}::int < ${now}::bigint`;
}
