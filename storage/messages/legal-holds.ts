/** Legal holds, and what was deleted under them. */
import type { ChannelId, HoldId, MessageId, RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";
import { idArray } from "./id-literals.ts";

/** What may not be lost: one of `user_id`, `channel_id` and `query` says which messages. Times are UNIX seconds. */
export interface LegalHold {
  id: HoldId;
  realm_id: RealmId;
  name: string;
  user_id: UserId | null;
  channel_id: ChannelId | null;
  /** In the words of a search. */
  query: string | null;
  creator_id: UserId;
  date_created: number;
}

/** Whether the hold `h` is on the message `m`. Of one with the words of the version before those of today are made. */
export const isHeldBy = (sql: Sql) => sql`
  h.realm_id = m.realm_id and (
    h.channel_id = m.channel_id or h.user_id = m.sender_id or m.search @@ h.words
    or h.words is not null and m.id <= (select up_to from search_rebuilds r where r.realm_id = m.realm_id)
      and message_words(m.topic || ' ' || m.content) @@ h.words
    or m.channel_id is null and exists (
      select 1 from direct_conversation_members d where d.user_id = h.user_id and d.recipient_id = m.recipient_id))`;

export function findLegalHolds(sql: Sql, realmId: RealmId): Promise<LegalHold[]> {
  return sql<LegalHold[]>`
    select id, realm_id, name, user_id, channel_id, query, creator_id, date_created from legal_holds where realm_id = ${realmId} order by id`;
}

/** @param words a `tsquery`, where the hold is on a search */
export async function insertLegalHold(sql: Sql, hold: LegalHold, words: string | undefined): Promise<void> {
  const { id, realm_id, name, user_id, channel_id, query, creator_id, date_created } = hold;
  await sql`
    insert into legal_holds (id, realm_id, name, user_id, channel_id, query, creator_id, date_created, words)
    values (${id}, ${realm_id}, ${name}, ${user_id}, ${channel_id}, ${query}, ${creator_id}, ${date_created},
      ${words ?? null}::text::tsquery)`;
}

/** Ends a hold. What was kept for it alone goes. Returns where the files are that nothing holds any more. */
export async function deleteLegalHold(sql: Sql, realmId: RealmId, id: HoldId): Promise<string[]> {
  await sql`delete from legal_holds where realm_id = ${realmId} and id = ${id}`;
  await sql`
    update held_messages set hold_ids = array_remove(hold_ids, ${id}::bigint)
    where realm_id = ${realmId} and hold_ids @> array[${id}::bigint]`;
  await sql`delete from held_messages where realm_id = ${realmId} and hold_ids = '{}'`;
  await sql`
    update held_files set hold_ids = array_remove(hold_ids, ${id}::bigint)
    where realm_id = ${realmId} and hold_ids @> array[${id}::bigint]`;
  const freed = await sql<{ stored: string[] }[]>`
    delete from held_files where realm_id = ${realmId} and hold_ids = '{}' returning file -> 'stored' as stored`;
  return freed.flatMap(({ stored }) => stored);
}

/** Keeps those of these messages that are under a hold: they are about to be deleted. */
export async function keepHeldMessages(sql: Sql, realmId: RealmId, ids: readonly MessageId[]): Promise<void> {
  await sql`
    insert into held_messages (realm_id, id, hold_ids, message, deleted_at)
    select m.realm_id, m.id, held.ids, to_jsonb(m) - 'search', extract(epoch from now())::bigint
    from unnest(${idArray(ids)}::text::bigint[]) as chosen(id)
    join messages m on m.realm_id = ${realmId} and m.id = chosen.id
    cross join lateral (select array_agg(h.id) as ids from legal_holds h where ${isHeldBy(sql)}) held
    where held.ids is not null and exists (select from legal_holds where realm_id = ${realmId})
    on conflict (realm_id, id) do nothing`;
}

/**
 * Keeps what is known of a file that is about to be deleted, if it is held. A hold is on its owner, or on a message
 * that links to it or did. Returns whether it has to be kept.
 *
 * @param stored where its bytes and thumbnails are
 */
export async function keepHeldFile(
  sql: Sql,
  realmId: RealmId,
  pathId: string,
  stored: readonly string[],
): Promise<boolean> {
  const kept = await sql`
    insert into held_files (realm_id, path_id, hold_ids, file)
    select a.realm_id, a.path_id, held.ids,
      jsonb_build_object('file_name', a.file_name, 'size', a.size, 'content_type', a.content_type,
        'stored', ${sql.json(stored)}::jsonb)
    from attachments a cross join lateral (
      select array_agg(distinct each.id) as ids from (
        select h.id from legal_holds h where h.realm_id = a.realm_id and h.user_id = a.owner_id
        union all
        select h.id from messages m join legal_holds h on ${isHeldBy(sql)}
        where m.realm_id = a.realm_id and m.id = any(a.message_ids)
        union all
        select unnest(k.hold_ids) from held_messages k
        where k.realm_id = a.realm_id and strpos(k.message::text, a.path_id) > 0) each) held
    where a.realm_id = ${realmId} and a.path_id = ${pathId} and held.ids is not null
      and exists (select from legal_holds where realm_id = ${realmId})
    on conflict (realm_id, path_id) do nothing returning path_id`;
  return kept.length > 0;
}

/** Which messages a compliance export has. */
export interface ExportScope {
  /** Only what this hold is on; undefined: all. */
  holdId?: HoldId | undefined;
  /** Only messages after this one: where an earlier part ended. */
  after: MessageId;
  limit: number;
}

/** A message of a compliance export, as it is stored, or was when it was deleted. */
export interface ExportedMessage {
  id: MessageId;
  message: {
    sender_id: UserId;
    channel_id: ChannelId | null;
    topic: string;
    content: string;
    sent_at: number;
    edit_history: unknown[] | null;
    last_edit_at: number | null;
  };
  /** Everybody in the conversation; null in a channel. */
  user_ids: UserId[] | null;
  /** UNIX seconds; null: it is still there. */
  deleted_at: number | null;
}

/** Messages in the order of their ids, deleted ones that are held among them. */
export function findExportedMessages(
  sql: Sql,
  realmId: RealmId,
  { holdId, after, limit }: ExportScope,
): Promise<ExportedMessage[]> {
  const ofHold =
    holdId === undefined
      ? sql`true`
      : sql`exists (
    select 1 from legal_holds h where h.id = ${holdId} and ${isHeldBy(sql)})`;
  const kept = holdId === undefined ? sql`true` : sql`k.hold_ids @> array[${holdId}::bigint]`;
  return sql<ExportedMessage[]>`
    select part.*, d.user_ids from (
      (select m.id, to_jsonb(m) - 'search' as message, null::bigint as deleted_at, m.recipient_id
       from messages m where m.realm_id = ${realmId} and m.id > ${after} and ${ofHold} order by m.id limit ${limit})
      union all
      (select k.id, k.message, k.deleted_at, (k.message ->> 'recipient_id')::bigint
       from held_messages k where k.realm_id = ${realmId} and k.id > ${after} and ${kept} order by k.id limit ${limit})
    ) part
    left join direct_conversations d on d.recipient_id = part.recipient_id
    order by part.id limit ${limit}`;
}

/** What is known of a file. */
export interface ExportedFile {
  path_id: string;
  file_name: string;
  size: number;
  content_type: string;
}

/** Files at these paths, deleted ones that are held among them. */
export function findExportedFiles(sql: Sql, realmId: RealmId, pathIds: readonly string[]): Promise<ExportedFile[]> {
  return sql<ExportedFile[]>`
    select path_id, file_name, size, content_type from attachments
    where realm_id = ${realmId} and path_id = any(${pathIds})
    union
    select path_id, file ->> 'file_name', (file ->> 'size')::bigint, file ->> 'content_type' from held_files
    where realm_id = ${realmId} and path_id = any(${pathIds})`;
}
