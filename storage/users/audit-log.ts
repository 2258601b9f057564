/**
 * The audit log: one chain of rows for each organization. A row's hash covers its text and the hash before it. Whoever
 * computes the hashes again sees a row that was changed, or is missing. The table refuses updates and deletes.
 * `audit_log_ends` holds the last number and hash, without which a log that was cut off at its end would look whole.
 */
import { createHash } from "node:crypto";
import { defined } from "../failures.ts";
import type { ChannelId, GroupId, RealmId, ScimTokenId, SessionId, UserId } from "../ids.ts";
import type { Sql, Statement } from "../postgres.ts";

/** What is logged of one change, as it is stored and sent. Nothing in it is a secret. */
export interface AuditEntry {
  /** UNIX seconds */
  event_time: number;
  event_type: string;
  /** null: nobody who was logged in. */
  acting_user_id: UserId | null;
  /** As it was then. */
  acting_user_role: number | null;
  /** By what they came; `actors/realm/commit/audit.ts` names the ways. */
  via: string;
  /** The log-in, further key or token that they came by, if they did. */
  session_id: SessionId | ScimTokenId | null;
  ip_address: string | null;
  user_agent: string | null;
  modified_user_ids: readonly UserId[];
  modified_stream_id: ChannelId | null;
  modified_user_group_id: GroupId | null;
  before: Readonly<Record<string, unknown>> | null;
  after: Readonly<Record<string, unknown>> | null;
}

/** A stored row: `json` is the text that was hashed, an object with `num` first. */
export interface AuditRow {
  num: number;
  json: string;
  /** 64 hexadecimal digits. */
  hash: string;
}

/** @param previous of the row before; empty for the first */
const hashOf = (previous: string, json: string): string =>
  createHash("sha256")
    .update(previous + json)
    .digest("hex");

/** The last row of an organization's log: 0 and "" before the first. */
export interface AuditEnd {
  num: number;
  hash: string;
}

/** Adds entries in the caller's transaction. Another one that adds to the same log waits for its end. */
export async function appendAudit(sql: Sql, realmId: RealmId, entries: readonly AuditEntry[]): Promise<void> {
  const [end] = await sql<AuditEnd[]>`
    select num, hash from audit_log_ends where realm_id = ${realmId} for update`;
  await appendAuditAfter(sql, realmId, entries, end ?? { num: 0, hash: "" });
}

/** Adds entries behind the last row: the statement, unsent. It fails when somebody else did so meanwhile. */
export function appendAuditAfter(
  sql: Sql,
  realmId: RealmId,
  entries: readonly AuditEntry[],
  { num, hash }: AuditEnd,
): Statement {
  const rows = entries.map((entry) => {
    const json = JSON.stringify({ num: ++num, ...entry });
    hash = hashOf(hash, json);
    return { num, json, hash, users: entry.modified_user_ids };
  });
  return sql`
    with logged as (
      insert into audit_log (realm_id, num, entry, hash, modified_user_ids)
      select ${realmId}::int, r.num, r.json::json, r.hash, array(select jsonb_array_elements_text(r.users)::int)
      from json_to_recordset(${JSON.stringify(rows)}::text::json) as r(num bigint, json text, hash text, users jsonb))
    insert into audit_log_ends (realm_id, num, hash) values (${realmId}::int, ${num}::bigint, ${hash})
    on conflict (realm_id) do update set num = excluded.num, hash = excluded.hash`;
}

/** Which rows; all that is named has to be so. */
export interface AuditFilter {
  actingUserId?: UserId | undefined;
  userId?: UserId | undefined;
  channelId?: ChannelId | undefined;
  groupId?: GroupId | undefined;
  types?: readonly string[] | undefined;
  /** UNIX seconds: not before, and before. */
  since?: number | undefined;
  until?: number | undefined;
}

/** Rows fetched at a time: no more than these are read beyond the bytes of a slice. */
const rowsPerFetch = 64;

/**
 * Rows beyond a number, the nearest first. Fewer than `rows` need not be all: `maxBytes` of text end it, after one row.
 *
 * @param beyond rows before it (`isBack`) or after it
 */
export async function readAudit(
  sql: Sql,
  realmId: RealmId,
  filter: AuditFilter,
  { beyond, isBack, rows, maxBytes }: { beyond: number; isBack: boolean; rows: number; maxBytes: number },
): Promise<{ found: AuditRow[]; isCut: boolean }> {
  const { actingUserId, userId, channelId, groupId, types, since, until } = filter;
  const query = sql<AuditRow[]>`
    select num, entry::text as json, hash from audit_log
    where realm_id = ${realmId} and ${isBack ? sql`num < ${beyond}` : sql`num > ${beyond}`}
      ${actingUserId === undefined ? sql`` : sql`and acting_user_id = ${actingUserId}`}
      ${userId === undefined ? sql`` : sql`and modified_user_ids @> array[${userId}::int]`}
      ${channelId === undefined ? sql`` : sql`and modified_stream_id = ${channelId}`}
      ${groupId === undefined ? sql`` : sql`and modified_user_group_id = ${groupId}`}
      ${types === undefined ? sql`` : sql`and event_type in (select json_array_elements_text(${JSON.stringify(types)}::text::json))`}
      ${since === undefined ? sql`` : sql`and event_time >= ${since}`}
      ${until === undefined ? sql`` : sql`and event_time < ${until}`}
    order by num ${isBack ? sql`desc` : sql``} limit ${rows}`;
  const found: AuditRow[] = [];
  let bytes = 0;
  for await (const fetched of query.cursor(rowsPerFetch)) {
    for (const row of fetched) {
      bytes += row.json.length;
      if (bytes > maxBytes && found.length > 0) return { found, isCut: true };
      found.push(row);
    }
  }
  return { found, isCut: false };
}

/**
 * Where a log begins: behind this row; 0 and "" where it is whole. The newest row of the type
 * `realm_audit_log_shortened` says so: its `after` has the number and the hash of the last row that went.
 */
export const auditBase = (sql: Sql, realmId: RealmId) => sql<AuditEnd[]>`
  select coalesce(max(num), 0) as num, coalesce(max(hash), '') as hash from (
    select (entry->'after'->>'num')::bigint as num, entry->'after'->>'hash' as hash from audit_log
    where realm_id = ${realmId} and event_type = 'realm_audit_log_shortened' order by audit_log.num desc limit 1) shortened`;

/** What a look at a whole log found. */
export interface AuditVerdict {
  /** Behind those that it was shortened by. */
  rows: number;
  /** The rows that the log was shortened by, counted from its beginning. */
  shortenedBy: number;
  /** How many of these are still there: they go in parts, and not while there is a legal hold. */
  kept: number;
  /** The number of the last row. */
  last: number;
  /** The last hash: whoever keeps it elsewhere can tell that this log was not made anew. */
  hash: string;
  /** The first row that is not what follows the row before; null: none. */
  brokenAt: number | null;
  /** Rows are missing at the end, or at the end are rows too many. */
  hasOtherEnd: boolean;
}

/**
 * Computes every hash again, in PostgreSQL. The first row may be one that the log was shortened by. Its own hash is
 * taken as it is where no row says which one was before.
 */
export async function verifyAudit(sql: Sql, realmId: RealmId): Promise<AuditVerdict> {
  const base = defined((await auditBase(sql, realmId))[0], "base");
  const before = sql`(
    select entry->'after'->>'hash' from audit_log
    where realm_id = ${realmId} and event_type = 'realm_audit_log_shortened'
      and (entry->'after'->>'num')::bigint = (select min(num) - 1 from audit_log where realm_id = ${realmId}) limit 1)`;
  const [found] = await sql<{ rows: number; kept: number; brokenAt: number | null }[]>`
    select count(*) filter (where num > ${base.num}::bigint)::int as rows,
      count(*) filter (where num <= ${base.num}::bigint)::int as kept,
      min(num) filter (where not is_right) as "brokenAt" from (
      select num, num = least(min(num) over (), ${base.num}::bigint + 1) - 1 + row_number() over (order by num)
        and (entry->>'num')::bigint = num
        and modified_user_ids = array(select json_array_elements_text(entry->'modified_user_ids')::int)
        and (num <> ${base.num}::bigint or hash = ${base.hash})
        and hash = coalesce(encode(sha256(convert_to(
          coalesce(lag(hash) over (order by num), case num when 1 then '' else ${before} end) || entry::text,
          'UTF8')), 'hex'), hash) as is_right
      from audit_log where realm_id = ${realmId}) as checked`;
  const [end] = await sql<{ num: number; hash: string; isThere: boolean }[]>`
    select num, hash, exists (select from audit_log l where l.realm_id = e.realm_id and l.num = e.num and l.hash = e.hash)
      and not exists (select from audit_log l where l.realm_id = e.realm_id and l.num > e.num) as "isThere"
    from audit_log_ends e where realm_id = ${realmId}`;
  const { rows, kept, brokenAt } = defined(found, "count");
  const { num: last, hash } = end ?? { num: 0, hash: "" };
  return { rows, shortenedBy: base.num, kept, last, hash, brokenAt, hasOtherEnd: end ? !end.isThere : rows > 0 };
}

/** The hash of a row; undefined when there is no such row. */
export async function findAuditHash(sql: Sql, realmId: RealmId, num: number): Promise<string | undefined> {
  const [row] = await sql<{ hash: string }[]>`
    select hash from audit_log where realm_id = ${realmId} and num = ${num}::bigint`;
  return row?.hash;
}

/** A log is shortened once its oldest row has been over for so long, in seconds. */
const slackSecs = 86_400;

/**
 * The last of the rows from before a time (UNIX seconds), if the oldest has been over for a day. Under a legal hold
 * nothing is over.
 */
export async function findExpiredAudit(sql: Sql, realmId: RealmId, before: number): Promise<AuditEnd | undefined> {
  const [found] = await sql<AuditEnd[]>`
    select num, hash from audit_log
    where realm_id = ${realmId} and num < coalesce(
        (select num from audit_log where realm_id = ${realmId} and event_time >= ${before} order by event_time, num limit 1),
        9223372036854775807)
      and not exists (select from legal_holds where realm_id = ${realmId})
      and ${before}::bigint - ${slackSecs} > (
        select event_time from audit_log where realm_id = ${realmId} order by num limit 1)
    order by num desc limit 1`;
  return found;
}

/** Deletes rows that the log was shortened by, the oldest first; none under a legal hold. Returns how many. */
export async function deleteShortenedAudit(sql: Sql, realmId: RealmId, limit: number): Promise<number> {
  const { count } = await sql`
    delete from audit_log using (
      select num from audit_log where realm_id = ${realmId} and num <= (select num from (${auditBase(sql, realmId)}) base)
      order by num limit ${limit}) over
    where audit_log.realm_id = ${realmId} and audit_log.num = over.num
      and not exists (select from legal_holds where realm_id = ${realmId})`;
  return count;
}
