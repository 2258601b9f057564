/**
 * The durable log of a realm, and the commit that fences it.
 *
 * Every commit names the epoch under which its writer was elected and holds the realm's row shared until it ends. A new
 * writer bumps the epoch before its first commit, and so waits for the commits under way. Afterwards a commit of the
 * old writer finds no row with its epoch, inserts nothing and fails with `WriterFenced`.
 *
 * Every commit but a term's first also names the one before it. A standby that was promoted may know the epoch and lack
 * that commit. A commit that was on its way meanwhile stores nothing there, since it was decided on what is lost.
 */

import { inOneTrip } from "./connection/session.ts";
import { onlyRow } from "./failures.ts";
import type { LogPosition, MessageId, RealmId, UserId } from "./ids.ts";
import type { MessageRow } from "./messages/messages.ts";
import { insertedColumns } from "./messages/messages.ts";
import { type Database, RealmGone, type Sql, type Statement, translate } from "./postgres.ts";

/** Another node has become the realm's writer, or the log lacks the commit before this one. Nothing was written. */
export class WriterFenced extends Error {
  override name = "WriterFenced";
}

/** One row of the log: `json` is the entry without its position. */
export interface LogRow {
  position: LogPosition;
  json: string;
  /** The account and queue of a send that may be repeated: `localQueue` makes it. */
  sentFrom?: string | undefined;
}

/** What a send's account and queue are called in the log. */
export const localQueue = (userId: UserId, queueId: string): string => `${userId}:${queueId}`;

/** Where the last entry of a commit stands in the log. */
export interface Predecessor {
  position: LogPosition;
  /** UNIX seconds: it tells the partition. */
  loggedAt: number;
}

export interface WriterTerm {
  realmId: RealmId;
  epoch: number;
  /** The term's last commit that logged something. Undefined: the beginning of the term, which the epoch stands for. */
  predecessor?: Predecessor | undefined;
}

export const logJson = (entries: readonly LogRow[]): string =>
  `[${entries
    .map(({ position, json, sentFrom }) => {
      const from = sentFrom === undefined ? "" : `,"sent_from":${JSON.stringify(sentFrom)}`;
      return `{"position":${position},"entry":${json}${from}}`;
    })
    .join(",")}]`;
const logColumns = "position, logged_at, entry, sent_from";
const logRecord = "position bigint, entry json, sent_from text";

const recordset = insertedColumns.map(({ name, type }) => `${name} ${type}`).join(", ");
const columnNames = insertedColumns.map(({ name }) => name).join(", ");
/** Begins a statement of a term's, so that PostgreSQL can be asked whether it is working on one. */
export const markOf = ({ realmId, epoch }: WriterTerm): string => `/* realm ${realmId} epoch ${epoch} */`;
/** Takes the fence. Its parameters are those of `fenceParameters`, the first four of the statement. */
export const fenceSelect = `select id from realms where id = $1::int and writer_epoch = $2::bigint
    and ($3::bigint is null or exists (
      select from realm_log where realm_id = $1::int and logged_at = $4::bigint and position = $3::bigint))
    for share`;
export const fenceParameters = ({ realmId, epoch, predecessor }: WriterTerm): (number | null)[] => [
  realmId,
  epoch,
  predecessor?.position ?? null,
  predecessor?.loggedAt ?? null,
];
/** @param fences rows that `fenceSelect` has found @throws WriterFenced */
export function checkFence(fences: number, { realmId, epoch, predecessor }: WriterTerm): void {
  if (fences > 0) return;
  const after = predecessor && ` or its log lacks ${predecessor.position}`;
  throw new WriterFenced(`epoch ${epoch} of realm ${realmId} is over${after ?? ""}`);
}

const sendStatement = `
  with fence as (${fenceSelect}),
  stored as (
    insert into messages (realm_id, ${columnNames})
    select fence.id, r.* from fence, json_to_recordset($5::text::json) as r(${recordset})),
  logged as (
    insert into realm_log (realm_id, ${logColumns})
    select fence.id, r.position, $7::bigint, r.entry, r.sent_from
    from fence, json_to_recordset($6::text::json) as r(${logRecord}))
  select count(*)::int as fences from fence`;

/** Commits a batch of sends: one statement, one round trip, one flush to disk, whatever the number of messages. */
export async function commitSends(
  database: Database,
  term: WriterTerm,
  messages: readonly MessageRow[],
  entries: readonly LogRow[],
  now: number,
): Promise<void> {
  let rows: { fences: number }[];
  try {
    const parameters = [...fenceParameters(term), JSON.stringify(messages), logJson(entries), now];
    // Unsafe: the statement is a constant that is put together once.
    rows = await inOneTrip(database.sql.unsafe(markOf(term) + sendStatement, parameters, { prepare: true }));
  } catch (error) {
    throw translate(error);
  }
  checkFence(onlyRow(rows).fences, term);
}

/** A writer that was stopped in the middle of a transaction holds its successor up for this long. */
const idleFenceMs = 3000;

const fenceStatement = `
  with fence as (${fenceSelect})
  select set_config('idle_in_transaction_session_timeout', '${idleFenceMs}', true), pg_backend_pid() as pid,
    pg_current_xact_id()::text as transaction, now()::text as "begunAt",
    coalesce(a.num, 0) as "auditNum", coalesce(a.hash, '') as "auditHash"
  from fence left join audit_log_ends a on a.realm_id = fence.id`;

/** A transaction that has the fence. */
export interface Fenced {
  /** Of its session. */
  pid: number;
  /** Its id, by which PostgreSQL knows for long what became of it, unless it crashes. */
  transaction: string;
  /** When it began, by PostgreSQL's clock. */
  begunAt: string;
  /** The audit log's last row. Only who has the fence adds another one. */
  auditNum: number;
  auditHash: string;
}

/** Takes the fence in the caller's transaction. @throws WriterFenced */
export async function fence(sql: Sql, term: WriterTerm): Promise<Fenced> {
  // Unsafe: the statement is a constant that is put together once.
  const rows = await sql.unsafe<Fenced[]>(fenceStatement, fenceParameters(term), { prepare: true }).execute();
  checkFence(rows.length, term);
  return onlyRow(rows);
}

/**
 * Whether PostgreSQL works on a batch of sends of this term, or the session that has its fence is in use. Such a
 * session works on a statement, or was given one within the last second. A long command may be computing between two of
 * them. A session that waits for its client's bytes in the middle of a statement says that it is active, and works on
 * nothing.
 */
export async function isAtWork(sql: Sql, term: WriterTerm, pid: number | undefined): Promise<boolean> {
  const rows = await sql`
    select 1 from pg_stat_activity
    where (state = 'active' and wait_event_type is distinct from 'Client'
        and (pid = ${pid ?? 0} or starts_with(query, ${markOf(term)})))
      or (pid = ${pid ?? 0} and state_change > clock_timestamp() - interval '1 second')
    limit 1`;
  return rows.length > 0;
}

/** Adds entries to the log in the caller's transaction: the statement, unsent. */
export const appendLog = (sql: Sql, realmId: RealmId, entries: readonly LogRow[], now: number): Statement => sql`
  insert into realm_log (realm_id, position, logged_at, entry, sent_from)
  select ${realmId}::int, r.position, ${now}::bigint, r.entry, r.sent_from
  from json_to_recordset(${logJson(entries)}::text::json) as r(position bigint, entry json, sent_from text)`;

/** How much is read at once. Of rows that there are, one is read whatever its size, so that whoever goes on gets on. */
export interface LogSlice {
  rows: number;
  /** Of JSON text. */
  bytes: number;
}

/** Rows fetched at a time: no more than these are ever read beyond the bytes of a slice. */
const rowsPerFetch = 64;

/** Entries after `after`, in order. Fewer than `slice.rows` need not be all. */
export function readLog(sql: Sql, realmId: RealmId, after: LogPosition, slice: LogSlice): Promise<LogRow[]> {
  return takeRows(
    sql<LogRow[]>`
      select position, entry::text as json from realm_log where realm_id = ${realmId} and position > ${after}
      order by position limit ${slice.rows}`,
    slice,
  );
}

/** The entry at a position, if the log has it. */
export async function readLogRow(sql: Sql, realmId: RealmId, position: LogPosition): Promise<LogRow | undefined> {
  const [row] = await sql<LogRow[]>`
    select position, entry::text as json from realm_log where realm_id = ${realmId} and position = ${position}::bigint`;
  return row;
}

/** Entries after `after` and up to `upTo`, the newest first. */
export function readLogBack(
  sql: Sql,
  realmId: RealmId,
  { after, upTo }: { after: LogPosition; upTo: LogPosition },
  slice: LogSlice,
): Promise<LogRow[]> {
  return takeRows(
    sql<LogRow[]>`
      select position, entry::text as json from realm_log
      where realm_id = ${realmId} and position > ${after} and position <= ${upTo} order by position desc limit ${slice.rows}`,
    slice,
  );
}

async function takeRows(
  query: { cursor(rows: number): AsyncIterable<LogRow[]> },
  { bytes }: LogSlice,
): Promise<LogRow[]> {
  const taken: LogRow[] = [];
  let size = 0;
  for await (const rows of query.cursor(rowsPerFetch)) {
    for (const row of rows) {
      size += row.json.length;
      if (size > bytes && taken.length > 0) return taken;
      taken.push(row);
    }
  }
  return taken;
}

/** The newest sends of an account from one queue: the ids that their client and the server gave them. */
export function readSendsFrom(
  sql: Sql,
  realmId: RealmId,
  sentFrom: string,
  limit: number,
): Promise<{ localId: string; messageId: MessageId }[]> {
  return sql<{ localId: string; messageId: MessageId }[]>`
    select entry->'e'->'local'->>'local_id' as "localId", (entry->'e'->'message'->>'id')::bigint as "messageId"
    from realm_log where realm_id = ${realmId} and sent_from = ${sentFrom} order by position desc limit ${limit}`;
}

/** The newest durable position of a realm, or undefined when its log is empty. */
export async function lastLogged(sql: Sql, realmId: RealmId): Promise<LogPosition | undefined> {
  const rows = await sql<
    { position: LogPosition | null }[]
  >`select max(position) as position from realm_log where realm_id = ${realmId}`;
  return rows[0]?.position ?? undefined;
}

/** The newest writer's term. */
export interface NewestTerm {
  epoch: number;
  /** A node that serves is in it, or was until a moment ago, as far as is known; see `beginTerm`. */
  isServed: boolean;
  /** That node. Null: it is not one of many, or did not say. */
  node: string | null;
}

/** Where a realm's log ends, and whose it is. */
export interface LogEnd extends NewestTerm {
  /** The newest durable position, 0 when the log is empty. */
  position: LogPosition;
}

/** The newest writer's epoch. */
export async function readEpoch(sql: Sql, realmId: RealmId): Promise<number> {
  const rows = await sql<{ epoch: number }[]>`select writer_epoch as epoch from realms where id = ${realmId}`;
  return onlyRow(rows).epoch;
}

export async function readEnd(sql: Sql, realmId: RealmId): Promise<LogEnd> {
  const rows = await sql<LogEnd[]>`
    select writer_epoch as epoch, writer_serves_reads as "isServed", writer_node as node,
      coalesce((select max(position) from realm_log where realm_id = realms.id), 0) as position
    from realms where id = ${realmId}`;
  if (!rows[0]) throw new RealmGone(`organization ${realmId} was deleted`);
  return rows[0];
}

const secondsPerDay = 86_400;

/** The day of a moment, in UNIX seconds: each has a partition of its own. */
export const logDay = (now: number): number => Math.floor(now / secondsPerDay);

/**
 * A day longer than the longest queue time-out (7 days), so that every queue that may live can be brought up to date.
 */
export const daysKept = 8;

/** Makes partitions for these days, as `logDay` numbers them, where there are none. */
export async function makeLogDays(database: Database, days: readonly number[]): Promise<void> {
  await database.transaction(async (sql) => {
    const names = await lockLogDays(sql);
    for (const day of days) if (!names.has(partitionOf(day))) await makeLogDay(sql, day);
  });
}

const partitionOf = (day: number): string => `realm_log_${day}`;

/** Nobody else makes or drops any until the transaction ends. Returns the names of those that there are. */
async function lockLogDays(sql: Sql): Promise<Set<string>> {
  await sql`select pg_advisory_xact_lock(7275539912::bigint)`;
  const existing = await sql<{ name: string }[]>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'realm_log'::regclass`;
  return new Set(existing.map((row) => row.name));
}

async function makeLogDay(sql: Sql, day: number): Promise<void> {
  // Unsafe: DDL takes no parameters.
  await sql.unsafe(
    `create table ${partitionOf(day)} partition of realm_log for values from (${day * secondsPerDay}) to (${(day + 1) * secondsPerDay})`,
  );
}

/**
 * Makes the partitions for today and the next days and drops those that no queue can need. Safe to call on many nodes
 * at once, at every start and then a few times a day.
 */
export async function rollPartitions(database: Database, now: number): Promise<void> {
  const today = logDay(now);
  await database.transaction(async (sql) => {
    const names = await lockLogDays(sql);
    for (let day = today - 1; day <= today + 3; day++) if (!names.has(partitionOf(day))) await makeLogDay(sql, day);
    // A clock that was set ahead makes partitions, but does not take any: that has to be right by PostgreSQL's too.
    const theirs = onlyRow(
      await sql<{ day: number }[]>`
      select floor(extract(epoch from now()) / ${secondsPerDay}::int)::int as day`,
    );
    const oldest = Math.min(today, theirs.day) - daysKept;
    for (const name of names) {
      // Unsafe: DDL takes no parameters.
      if (Number(name.slice("realm_log_".length)) < oldest) await sql.unsafe(`drop table ${name}`);
    }
  });
}
