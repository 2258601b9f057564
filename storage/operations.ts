/** What whoever runs a server looks at: what waits, how much is stored, and what PostgreSQL is busy with. */
import { onlyRow } from "./failures.ts";
import type { RealmId } from "./ids.ts";
import type { Sql } from "./postgres.ts";

export type OutgoingQueue = "mail" | "push" | "webhook";

/** Notifications are kept for so long before they are given up: `expires_at` tells since when one waits. */
const pushKeptSecs = 86_400;

/** What was taken to be sent is taken again after so long. */
const underWaySecs = 30;
const phonesUnderWaySecs = 90;

export interface WaitingQueue {
  queue: OutgoingQueue;
  waiting: number;
  /** Of them, those that were tried at least once. */
  retried: number;
  /** UNIX seconds, since when the oldest waits. Null: nothing waits. */
  oldest: number | null;
}

/** Emails, calls of webhooks, notifications and news of phones that are not settled: of one organization, or of all. */
export function findWaiting(sql: Sql, realmId?: RealmId): Promise<WaitingQueue[]> {
  const all = realmId === undefined;
  const id = realmId ?? 0;
  return sql<WaitingQueue[]>`
    select 'mail' as queue, count(*) as waiting, count(*) filter (where attempts > 0) as retried,
      min(created_at) as oldest from emails where ${all} or realm_id = ${id}
    union all
    select 'push', count(*), count(*) filter (where attempts > 0), min(expires_at) - ${pushKeptSecs}
    from (select attempts, expires_at, realm_id from push_notifications
      union all select attempts, expires_at, realm_id from push_registrations) p where ${all} or realm_id = ${id}
    union all
    select 'webhook', count(*), count(*) filter (where attempts > 0), min(m.sent_at)
    from webhook_calls c left join messages m on m.id = c.message_id where ${all} or c.realm_id = ${id}`;
}

export interface StoredWork {
  /** Imports that were begun and not ended. */
  imports: number;
  /** Exports that are being made. */
  exports: number;
}

export async function findStoredWork(sql: Sql): Promise<StoredWork> {
  const rows = await sql<StoredWork[]>`
    select (select count(*) from imports) as imports,
      (select count(*) from realm_exports where state = 'pending') as exports`;
  return onlyRow(rows);
}

export interface UploadSpace {
  realm_id: RealmId;
  bytes: number;
}

/** Bytes of each organization's uploads, the largest first. */
export function findUploadSpace(sql: Sql, limit: number): Promise<UploadSpace[]> {
  return sql<UploadSpace[]>`
    select realm_id, sum(size)::bigint as bytes from attachments group by realm_id order by 2 desc limit ${limit}`;
}

export interface DatabaseActivity {
  bytes: number;
  /** Connections of all of Parley's processes, by what they do. */
  active: number;
  idle: number;
  in_transaction: number;
  /** Of the active ones, those that wait for a lock. */
  locked: number;
  /** Connections that PostgreSQL takes from anybody, and those that there are. */
  max_connections: number;
  connections: number;
  /** Seconds. */
  longest_statement: number;
  longest_transaction: number;
}

/** What PostgreSQL tells of this database. */
export async function findActivity(sql: Sql): Promise<DatabaseActivity> {
  const rows = await sql<DatabaseActivity[]>`
    select pg_database_size(current_database()) as bytes,
      count(*) filter (where state = 'active' and is_own) as active,
      count(*) filter (where state = 'idle' and is_own) as idle,
      count(*) filter (where state like 'idle in transaction%' and is_own) as in_transaction,
      count(*) filter (where state = 'active' and is_own and wait_event_type = 'Lock') as locked,
      current_setting('max_connections')::int as max_connections,
      count(*) filter (where backend_type = 'client backend') as connections,
      coalesce(max(extract(epoch from clock_timestamp() - query_start)) filter (where state = 'active' and is_own), 0)::float8
        as longest_statement,
      coalesce(max(extract(epoch from clock_timestamp() - xact_start)) filter (where is_own), 0)::float8
        as longest_transaction
    from (select *, datname = current_database() and application_name like 'parley%' and pid <> pg_backend_pid() as is_own
      from pg_stat_activity) a`;
  return onlyRow(rows);
}

/**
 * Puts off nothing any more of what waits for another attempt: of one organization, or of all. Returns how many those
 * are.
 */
export async function retryNow(sql: Sql, queue: OutgoingQueue, now: number, realmId?: RealmId): Promise<number> {
  const all = realmId === undefined;
  const id = realmId ?? 0;
  switch (queue) {
    case "mail": {
      const mail = await sql`
        update emails set next_attempt_at = ${now}
        where attempts > 0 and next_attempt_at > ${now} and (${all} or realm_id = ${id})`;
      return mail.count;
    }
    case "push": {
      // What is being sent at the moment is taken for lost after half a minute: that is no waiting.
      const pushes = await sql`
        update push_notifications set next_attempt_at = ${now}
        where attempts > 0 and next_attempt_at > ${now + underWaySecs} and (${all} or realm_id = ${id})`;
      const phones = await sql`
        update push_registrations set next_attempt_at = ${now}
        where attempts > 0 and next_attempt_at > ${now + phonesUnderWaySecs} and (${all} or realm_id = ${id})`;
      return pushes.count + phones.count;
    }
    case "webhook": {
      const calls = await sql`
        update webhook_calls set due_at = ${now}
        where not is_under_way and due_at > ${now} and (${all} or realm_id = ${id})`;
      return calls.count;
    }
  }
}

export interface RunningStatement {
  seconds: number;
  /** What it waits for; null: nothing. */
  waits_for: string | null;
  /** Its beginning, without what is sent beside it. */
  text: string;
}

/** The statements of Parley's that run longest. */
export function findLongStatements(sql: Sql, limit: number): Promise<RunningStatement[]> {
  return sql<RunningStatement[]>`
    select extract(epoch from clock_timestamp() - query_start)::float8 as seconds, wait_event_type as waits_for,
      left(regexp_replace(query, '\\s+', ' ', 'g'), 100) as text
    from pg_stat_activity
    where state = 'active' and datname = current_database() and application_name like 'parley%'
      and pid <> pg_backend_pid()
    order by query_start limit ${limit}`;
}
