/**
 * What has expired. Ids rise with time, so the oldest message of a channel, or of all direct ones, tells whether any
 * has: one index look-up, however many there are. Earlier texts and unused files are found by an index of their times.
 */
import type { AttachmentId, MessageId, RealmId, RecipientId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";
import { idArray } from "./id-literals.ts";
import { isHeldBy } from "./legal-holds.ts";

/** A conversation, and the time (UNIX seconds) before which its messages have expired. */
export interface Expiry {
  recipientId: RecipientId;
  before: number;
}

/** Which of these conversations have expired messages. */
export async function findExpired(sql: Sql, expiries: readonly Expiry[]): Promise<RecipientId[]> {
  if (expiries.length === 0) return [];
  const recipientIds = `{${expiries.map(({ recipientId }) => recipientId).join(",")}}`;
  const befores = `{${expiries.map(({ before }) => before).join(",")}}`;
  const rows = await sql<{ recipient_id: RecipientId }[]>`
    select c.recipient_id
    from unnest(${recipientIds}::text::bigint[], ${befores}::text::bigint[]) as c(recipient_id, before)
    cross join lateral (select m.sent_at from messages m where m.recipient_id = c.recipient_id order by m.id limit 1) oldest
    where oldest.sent_at < c.before order by c.recipient_id`;
  return rows.map((row) => row.recipient_id);
}

/** Ids of a conversation's oldest messages sent before a time (UNIX seconds), ascending, at most `limit`. */
export async function findExpiredIds(
  sql: Sql,
  recipientId: RecipientId,
  before: number,
  limit: number,
): Promise<MessageId[]> {
  const rows = await sql<{ id: MessageId }[]>`
    select id from (
      select id, sent_at from messages where recipient_id = ${recipientId} order by id limit ${limit}) oldest
    where sent_at < ${before} order by id`;
  return rows.map((row) => row.id);
}

/** Ids of an organization's oldest direct messages sent before a time (UNIX seconds), ascending, at most `limit`. */
export async function findExpiredDirect(
  sql: Sql,
  realmId: RealmId,
  before: number,
  limit: number,
): Promise<MessageId[]> {
  const rows = await sql<{ id: MessageId }[]>`
    select id from (
      select id, sent_at from messages where realm_id = ${realmId} and channel_id is null order by id limit ${limit}) oldest
    where sent_at < ${before} order by id`;
  return rows.map((row) => row.id);
}

/** How far a walk through what has expired is: the time by which it has, and an id. */
export interface RetentionPlace<Id = MessageId> {
  at: number;
  id: Id;
}

/** The beginning of every walk. */
const begin = { at: -1, id: -1 };

/** As `messages_earlier_texts` has it: whether a message has earlier texts, and when the oldest was replaced. */
const hasTexts = (sql: Sql) => sql`jsonb_path_exists(m.edit_history, '$[*].prev_content')`;
const oldestText = (sql: Sql) =>
  sql`(jsonb_path_query_array(m.edit_history, '$[*] ? (exists(@.prev_content)).timestamp') -> -1)`;

/** Messages with texts that were replaced before a time (UNIX seconds), those with the oldest first. */
export function findEarlierTexts(
  sql: Sql,
  realmId: RealmId,
  { before, after, limit }: { before: number; after: RetentionPlace | null; limit: number },
): Promise<{ at: number; id: MessageId; is_held: boolean }[]> {
  const { at, id } = after ?? begin;
  return sql<{ at: number; id: MessageId; is_held: boolean }[]>`
    select over.at::bigint as at, over.id, exists (
        select from messages m join legal_holds h on ${isHeldBy(sql)} where m.realm_id = ${realmId} and m.id = over.id) as is_held
    from (
      select m.id, ${oldestText(sql)} as at from messages m
      where m.realm_id = ${realmId} and ${hasTexts(sql)}
        and (${oldestText(sql)}, m.id) > (to_jsonb(${at}::bigint), ${id}::bigint)
        and ${oldestText(sql)} < to_jsonb(${before}::bigint)
      order by ${oldestText(sql)}, m.id limit ${limit}) over
    order by over.at, over.id`;
}

/** Drops texts that were replaced before a time (UNIX seconds). Whoever moved the message then stays known. */
export async function dropEarlierTexts(
  sql: Sql,
  realmId: RealmId,
  ids: readonly MessageId[],
  before: number,
): Promise<void> {
  await sql`
    update messages m set edit_history = (
      select jsonb_agg(case when is_over then edit - 'prev_content' - 'prev_rendered_content' else edit end order by place)
      from jsonb_array_elements(m.edit_history) with ordinality as each (edit, place)
      cross join lateral (select (edit ->> 'timestamp')::bigint < ${before} as is_over) known
      where not is_over or edit ?| array['prev_topic', 'prev_stream'])
    where m.realm_id = ${realmId} and m.id in (select unnest(${idArray(ids)}::text::bigint[]))`;
}

/** A file that no message names. */
export interface UnusedFile extends RetentionPlace<AttachmentId> {
  owner_id: UserId;
  path_id: string;
  file_name: string;
  size: number;
  create_time: number;
  /** Its owner's drafts, scheduled messages or snippets name it. */
  is_named: boolean;
}

/**
 * Files that no message has named since before a time (UNIX seconds), the longest unused first: a part of them, or
 * those among some.
 */
export function findUnusedFiles(
  sql: Sql,
  realmId: RealmId,
  scope: { before: number } & (
    | { after: RetentionPlace<AttachmentId> | null; limit: number }
    | { among: readonly AttachmentId[] }
  ),
): Promise<UnusedFile[]> {
  const { at, id } = ("after" in scope ? scope.after : undefined) ?? begin;
  const isAmong = "among" in scope ? sql`a.id in (select unnest(${idArray(scope.among)}::text::bigint[]))` : sql`true`;
  const names = (table: "drafts" | "scheduled_messages" | "saved_snippets") => sql`exists (
    select from ${sql(table)} text where text.user_id = a.owner_id and strpos(text.content, a.path_id) > 0)`;
  return sql<UnusedFile[]>`
    select a.unlinked_at as at, a.id, a.owner_id, a.path_id, a.file_name, a.size, a.create_time,
           ${names("drafts")} or ${names("scheduled_messages")} or ${names("saved_snippets")} as is_named
    from attachments a
    where a.realm_id = ${realmId} and a.message_ids = '{}' and ${isAmong}
      and (a.unlinked_at, a.id) > (${at}::bigint, ${id}::bigint)
      and a.unlinked_at < ${scope.before}
    order by a.unlinked_at, a.id limit ${"limit" in scope ? scope.limit : scope.among.length}`;
}

/**
 * Realms with something that has expired, of those in certain groups by their ids. A channel without a retention of its
 * own has the realm's, and so have direct messages. No message is looked at where all are kept for ever: PostgreSQL
 * asks that first within the look-up, and would do the look-up first beside it.
 */
export async function findRealmsWithExpired(
  sql: Sql,
  now: number,
  { slots, of }: { slots: number; of: readonly number[] },
): Promise<RealmId[]> {
  const rows = await sql<{ realm_id: RealmId }[]>`
    with turn as (
      select r.id, (r.settings ->> 'message_retention_days')::bigint as days, r.settings -> 'retention' as kinds
      from realms r where r.id % ${slots} in (select unnest(${idArray(of)}::text::bigint[]))
    ), kept as (
      select id, days, coalesce((kinds ->> 'direct_message_days')::bigint, days) as direct_days,
             (kinds ->> 'earlier_text_days')::bigint as text_days, (kinds ->> 'unused_file_days')::bigint as file_days,
             (kinds ->> 'audit_log_days')::bigint as audit_days
      from turn)
    select kept.id as realm_id from kept
    where exists (
        select from channels c
        cross join lateral (select coalesce(c.message_retention_days, kept.days) as days) own
        cross join lateral (
          select m.sent_at from messages m where own.days > 0 and m.recipient_id = c.recipient_id
          order by m.id limit 1) oldest
        where c.realm_id = kept.id and oldest.sent_at < ${now} - own.days * 86400)
      or direct_days > 0 and ${now} - direct_days * 86400 > (
        select m.sent_at from messages m where m.realm_id = kept.id and m.channel_id is null order by m.id limit 1)
      or text_days > 0 and to_jsonb(${now} - text_days * 86400) > (
        select ${oldestText(sql)} from messages m where m.realm_id = kept.id and ${hasTexts(sql)}
        order by ${oldestText(sql)}, m.id limit 1)
      or file_days > 0 and ${now} - file_days * 86400 > (
        select a.unlinked_at from attachments a
        where a.realm_id = kept.id and a.message_ids = '{}' order by a.unlinked_at, a.id limit 1)
      or audit_days > 0 and ${now} - (audit_days + 1) * 86400 > (
        select l.event_time from audit_log l where l.realm_id = kept.id order by l.num limit 1)`;
  return rows.map((row) => row.realm_id);
}
