/** What there is of one person: found in bounded parts, counted, and deleted where nobody but them saw it. */
import type { AttachmentId, MessageId, RealmId, UserId } from "../ids.ts";
import type { AttachmentRecord } from "../messages/attachments.ts";
import { idArray } from "../messages/id-literals.ts";
import { isHeldBy } from "../messages/legal-holds.ts";
import type { EditHistoryEntry } from "../messages/messages.ts";
import type { Sql } from "../postgres.ts";

/** The oldest messages that somebody wrote. */
export async function findMessagesBy(sql: Sql, realmId: RealmId, userId: UserId, limit: number): Promise<MessageId[]> {
  const rows = await sql<{ id: MessageId }[]>`
    select m.id from messages m where m.sender_id = ${userId} and m.realm_id = ${realmId} order by m.id limit ${limit}`;
  return rows.map(({ id }) => id);
}

/** Messages by where they were written. */
export interface WrittenKinds {
  inPublicChannels: boolean;
  inPrivateChannels: boolean;
  directly: boolean;
}

/** The next messages that somebody wrote after one of them, and whether each is in a place of these kinds. */
export async function findWritten(
  sql: Sql,
  realmId: RealmId,
  { userId, kinds, after, window }: { userId: UserId; kinds: WrittenKinds; after: MessageId; window: number },
): Promise<{ id: MessageId; fits: boolean }[]> {
  return sql<{ id: MessageId; fits: boolean }[]>`
    select m.id, case when m.channel_id is null then ${kinds.directly}::boolean
        when c.invite_only then ${kinds.inPrivateChannels}::boolean else ${kinds.inPublicChannels}::boolean end as fits
    from (select id, channel_id from messages
      where sender_id = ${userId} and realm_id = ${realmId} and id > ${after} order by id limit ${window}) m
    left join channels c on c.id = m.channel_id order by m.id`;
}

/** The condition that a message `m` names somebody, in its text, its earlier texts or its lists. */
const names = (sql: Sql, userId: UserId, called: readonly string[]) => {
  const patterns = [`%data-user-id="${userId}"%`, `%data-user-id=\\\\"${userId}\\\\"%`, `%|${userId}**%`].concat(
    called.map((name) => `%@%**${name.replace(/[\\%_]/g, "\\$&")}**%`),
  );
  return sql`(
    m.content ilike any(${patterns}) or m.rendered_content like any(${patterns}) or m.edit_history::text ilike any(${patterns})
    or ${userId} = any(m.mentioned) or ${userId} = any(m.topic_participants) or ${userId} = any(m.alerted))`;
};

/**
 * Looks through the messages after one, a window of them, for those that name somebody. `to` is the last that was
 * looked at; null: there is none. A message under a legal hold stays as it is.
 */
export async function findNaming(
  sql: Sql,
  realmId: RealmId,
  {
    userId,
    names: called,
    after,
    window,
  }: { userId: UserId; names: readonly string[]; after: MessageId; window: number },
): Promise<{ ids: MessageId[]; held: MessageId[]; to: MessageId | null }> {
  const rows = await sql<{ to: MessageId | null; id: MessageId | null; is_held: boolean }[]>`
    with looked as materialized (
      select id from messages where realm_id = ${realmId} and id > ${after} order by id limit ${window})
    select (select max(id) from looked) as to, found.id, found.is_held
    from (select 1) one left join (
      select m.id, exists (select from legal_holds h where ${isHeldBy(sql)}) as is_held
      from messages m join looked on looked.id = m.id
      where m.realm_id = ${realmId} and ${names(sql, userId, called)}) found on true
    order by found.id`;
  const found = (isHeld: boolean) => rows.flatMap(({ id, is_held }) => (id !== null && is_held === isHeld ? [id] : []));
  return { ids: found(false), held: found(true), to: rows[0]?.to ?? null };
}

export interface RenamedMessage {
  id: MessageId;
  content: string;
  rendered_content: string;
  edit_history: EditHistoryEntry[] | null;
}

/** Puts texts in which somebody is called otherwise. */
export async function putRenamed(sql: Sql, realmId: RealmId, rows: readonly RenamedMessage[]): Promise<void> {
  await sql`
    update messages m set content = r.content, rendered_content = r.rendered_content, edit_history = r.edit_history
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as r(id bigint, content text, rendered_content text, edit_history jsonb)
    where m.realm_id = ${realmId} and m.id = r.id`;
}

/** Takes somebody from the lists of whom messages mention or alert. */
export async function dropFromLists(
  sql: Sql,
  realmId: RealmId,
  ids: readonly MessageId[],
  userId: UserId,
): Promise<void> {
  await sql`
    update messages m set
      mentioned = nullif(array_remove(m.mentioned, ${userId}::bigint), '{}'),
      topic_participants = nullif(array_remove(m.topic_participants, ${userId}::bigint), '{}'),
      alerted = nullif(array_remove(m.alerted, ${userId}::bigint), '{}')
    where m.realm_id = ${realmId} and m.id in (select unnest(${idArray(ids)}::text::bigint[]))`;
}

/** Messages after one that somebody reacted to, ascending. */
export async function findReactedTo(
  sql: Sql,
  realmId: RealmId,
  userId: UserId,
  { after, limit }: { after: MessageId; limit: number },
): Promise<MessageId[]> {
  const rows = await sql<{ id: MessageId }[]>`
    select distinct message_id as id from reactions
    where user_id = ${userId} and realm_id = ${realmId} and message_id > ${after} order by message_id limit ${limit}`;
  return rows.map(({ id }) => id);
}

/** Others' messages that somebody voted in: the parts of widgets that are theirs. */
export async function findVotedIn(sql: Sql, realmId: RealmId, userId: UserId, limit: number): Promise<MessageId[]> {
  const rows = await sql<{ id: MessageId }[]>`
    select distinct s.message_id as id from submessages s join messages m on m.realm_id = s.realm_id and m.id = s.message_id
    where s.sender_id = ${userId} and s.realm_id = ${realmId} and m.sender_id <> ${userId} order by 1 limit ${limit}`;
  return rows.map(({ id }) => id);
}

export async function deleteVotes(sql: Sql, ids: readonly MessageId[], userId: UserId): Promise<void> {
  await sql`
    delete from submessages
    where sender_id = ${userId} and message_id in (select unnest(${idArray(ids)}::text::bigint[]))`;
}

export type OwnFile = Pick<AttachmentRecord, "id" | "path_id" | "size" | "create_time"> & { file_name: string };

/** Files of somebody's: all, or those that no message names. */
export function findOwnFiles(
  sql: Sql,
  realmId: RealmId,
  userId: UserId,
  scope:
    | { isNamedToo: boolean; after: AttachmentId; limit: number }
    | { isNamedToo: boolean; among: readonly AttachmentId[] },
): Promise<OwnFile[]> {
  const isAmong =
    "among" in scope ? sql`id in (select unnest(${idArray(scope.among)}::text::bigint[]))` : sql`id > ${scope.after}`;
  return sql<OwnFile[]>`
    select id, path_id, size, create_time, file_name from attachments
    where realm_id = ${realmId} and owner_id = ${userId} and (${scope.isNamedToo} or message_ids = '{}') and ${isAmong}
    order by id limit ${"limit" in scope ? scope.limit : scope.among.length}`;
}

/** Deletes what waits to be mailed to an address, and invitations of it. */
export async function deleteMailTo(sql: Sql, realmId: RealmId, address: string): Promise<void> {
  await sql`delete from emails where realm_id = ${realmId} and lower(recipient) = lower(${address})`;
  await sql`delete from invitations where realm_id = ${realmId} and lower(email) = lower(${address})`;
  await sql`delete from one_time_links where realm_id = ${realmId} and lower(email) = lower(${address})`;
}

/** Tables with rows that only this person saw or that say what they did, and the column that names them. */
const ownTables = {
  received: "user_id",
  read_states: "user_id",
  read_segments: "user_id",
  message_flags: "user_id",
  presence: "user_id",
  digests: "user_id",
  reply_addresses: "user_id",
  channel_mail_addresses: "sender_id",
  scim_users: "user_id",
  missed_messages: "user_id",
  push_notifications: "user_id",
  shown_notifications: "user_id",
  event_queues: "user_id",
  sessions: "user_id",
} as const;

/** Deletes some of these rows. Returns how many: less than `limit` of each table, and nothing is left. */
export async function deleteOwnRows(
  sql: Sql,
  userId: UserId,
  limit: number,
): Promise<{ deleted: number; isDone: boolean }> {
  let deleted = 0;
  let isDone = true;
  for (const [table, column] of Object.entries(ownTables)) {
    // Unsafe: table and column names cannot be parameters.
    const { count } = await sql.unsafe(
      `delete from ${table} where ctid = any(array(select ctid from ${table} where ${column} = $1 limit $2))`,
      [userId, limit],
    );
    deleted += count;
    if (count === limit) isDone = false;
  }
  return { deleted, isDone };
}

/** What an unfinished upload has goes with the next look for such as nobody goes on with. */
export async function giveUpUploads(sql: Sql, realmId: RealmId, userId: UserId): Promise<void> {
  await sql`update unfinished_uploads set expires_at = 0 where realm_id = ${realmId} and owner_id = ${userId}`;
}

/** What would go, or stays, of one person. */
export interface TraceCounts {
  messages: number;
  reactions: number;
  votes: number;
  files: number;
  /** Of these, those that a message names. */
  named_files: number;
  drafts: number;
  scheduled: number;
  snippets: number;
  sessions: number;
  devices: number;
  bots: number;
  /** Copies that legal holds keep. */
  held_messages: number;
  /** Rows of the audit log that they did, or that are about them. */
  audit_rows: number;
  exports: number;
  /** When the newest of these exports was asked for. UNIX seconds. */
  newest_export: number | null;
}

export async function countTraces(sql: Sql, realmId: RealmId, userId: UserId): Promise<TraceCounts> {
  const [counts] = await sql<[TraceCounts]>`
    select
      (select count(*) from messages where sender_id = ${userId} and realm_id = ${realmId}) as messages,
      (select count(*) from reactions where user_id = ${userId}) as reactions,
      (select count(*) from submessages s join messages m on m.realm_id = s.realm_id and m.id = s.message_id
       where s.sender_id = ${userId} and m.sender_id <> ${userId}) as votes,
      (select count(*) from attachments where owner_id = ${userId}) as files,
      (select count(*) from attachments where owner_id = ${userId} and message_ids <> '{}') as named_files,
      (select count(*) from drafts where user_id = ${userId}) as drafts,
      (select count(*) from scheduled_messages where user_id = ${userId}) as scheduled,
      (select count(*) from saved_snippets where user_id = ${userId}) as snippets,
      (select count(*) from sessions where user_id = ${userId}) as sessions,
      (select count(*) from devices where user_id = ${userId}) as devices,
      (select count(*) from users where bot_owner_id = ${userId}) as bots,
      (select count(*) from held_messages where realm_id = ${realmId} and (message ->> 'sender_id')::bigint = ${userId})
        as held_messages,
      (select count(*) from audit_log where realm_id = ${realmId}
       and (acting_user_id = ${userId} or modified_user_ids @> array[${userId}]::integer[])) as audit_rows,
      (select count(*) from realm_exports where realm_id = ${realmId} and state = 'done') as exports,
      (select max(requested_at) from realm_exports where realm_id = ${realmId} and state = 'done') as newest_export`;
  return counts;
}
