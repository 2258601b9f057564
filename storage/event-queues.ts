/** Registrations of event queues: enough to bring a queue back on any node, after any crash. */
import type { Sql } from "./postgres.ts";

export interface EventQueueRow {
  id: string;
  realm_id: number;
  user_id: number;
  registration: object;
  /** `last_event_id` of the register answer: what came before was in its state. */
  start_position: number;
  /** Where the part of that state that replicas hold was taken; at or after `start_position`. */
  snapshot_position: number;
  /** Acknowledged up to here when the row was last written. */
  cursor: number;
  idle_timeout_secs: number;
  /** UNIX seconds of the last poll, as of the last write. */
  seen_at: number;
}

export async function insertEventQueue(sql: Sql, row: EventQueueRow): Promise<void> {
  await sql`
    insert into event_queues (id, realm_id, user_id, registration, start_position, snapshot_position, cursor, idle_timeout_secs, seen_at)
    values (${row.id}, ${row.realm_id}, ${row.user_id}, ${JSON.stringify(row.registration)}::text::jsonb, ${row.start_position},
            ${row.snapshot_position}, ${row.cursor}, ${row.idle_timeout_secs}, ${row.seen_at})`;
}

export async function findEventQueue(sql: Sql, id: string): Promise<EventQueueRow | undefined> {
  return (await sql<EventQueueRow[]>`select * from event_queues where id = ${id}::uuid`)[0];
}

/** A queue to be forgotten: at any rate, or unless it was polled somewhere after `seenAt`. */
export interface EndedQueue {
  id: string;
  seenAt: number | null;
}

export async function deleteEventQueues(sql: Sql, ended: readonly EndedQueue[]): Promise<void> {
  if (ended.length === 0) return;
  await sql`
    delete from event_queues q using json_to_recordset(${JSON.stringify(ended)}::text::json) as r(id uuid, "seenAt" bigint)
    where q.id = r.id and (r."seenAt" is null or q.seen_at <= r."seenAt")`;
}

/** Writes down how far many queues have come, in one statement. */
export async function saveCursors(
  sql: Sql,
  rows: readonly { id: string; cursor: number; seen_at: number }[],
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update event_queues q set cursor = greatest(q.cursor, r.cursor), seen_at = greatest(q.seen_at, r.seen_at)
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as r(id uuid, cursor bigint, seen_at bigint) where q.id = r.id`;
}

/** Forgets queues that nobody polled for their time-out and `slackSecs` more: those that no node holds any longer. */
export async function deleteExpiredQueues(sql: Sql, now: number, slackSecs: number): Promise<void> {
  await sql`delete from event_queues where seen_at + idle_timeout_secs + ${slackSecs} < ${now}`;
}
