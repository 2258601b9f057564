/** Messages without anything particular to a reader: a node caches them for everybody. */
import { onlyRow } from "../failures.ts";
import type { MessageId, RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";
import { type Lane, lanesSql, parseLanes } from "./lanes.ts";
import type { MessageRecordRow } from "./records.ts";

/** A message, and whom it mentions. */
export interface SharedRecord
  extends Omit<
    MessageRecordRow,
    "received" | "is_read" | "starred" | "collapsed" | "historical" | "mentioned" | "topic_wildcard" | "alerted"
  > {
  read_by_sender: boolean;
  /** User ids. */
  mentioned: UserId[] | null;
  topic_participants: UserId[] | null;
  alerted: UserId[] | null;
}

/** One column has what most messages lack: each column costs as much as a short text. */
type Row = Omit<SharedRecord, keyof Extras> & { extras: Partial<Extras> | null };
type Extras = Pick<
  SharedRecord,
  | "edit_history"
  | "last_edit_at"
  | "last_moved_at"
  | "participants"
  | "reactions"
  | "submessages"
  | "mentioned"
  | "topic_participants"
  | "alerted"
>;

/** The messages of these ids that exist, ascending, with both of their texts. */
export async function readShared(sql: Sql, realmId: RealmId, ids: readonly MessageId[]): Promise<SharedRecord[]> {
  // Unsafe: the statement is a constant that is put together once.
  const rows = await sql.unsafe<Row[]>(
    `select m.id, m.recipient_id, m.channel_id, m.sender_id, m.topic, m.sent_at, m.client, m.content, m.rendered_content,
       m.is_me_message, m.channel_wildcard, m.read_by_sender,
       case when m.edit_history is not null or m.last_edit_at is not null or m.last_moved_at is not null or m.channel_id is null
              or m.has_reaction or m.mentioned is not null or m.topic_participants is not null or m.alerted is not null
              or exists (select from submessages x where x.message_id = m.id)
         then json_build_object('edit_history', m.edit_history, 'last_edit_at', m.last_edit_at, 'last_moved_at', m.last_moved_at,
           'mentioned', m.mentioned, 'topic_participants', m.topic_participants, 'alerted', m.alerted,
           'participants', (select c.user_ids from direct_conversations c where m.channel_id is null and c.recipient_id = m.recipient_id),
           'submessages', (select json_agg(json_build_object('id', x.id, 'message_id', x.message_id, 'sender_id', x.sender_id,
              'msg_type', x.msg_type, 'content', x.content) order by x.id) from submessages x where x.message_id = m.id),
           'reactions', (select json_agg(json_build_object('emoji_name', x.emoji_name, 'emoji_code', x.emoji_code,
              'reaction_type', x.reaction_type, 'user_id', x.user_id) order by x.id) from reactions x where x.message_id = m.id))
       end as extras
     from unnest($2::text::bigint[]) as picked(id) join messages m on m.realm_id = $1::integer and m.id = picked.id
     order by m.id`,
    [realmId, `{${ids.join(",")}}`],
    { prepare: true },
  );
  return rows.map(recordOf);
}

/** Field by field: to spread them takes thirty times as long, and makes objects that are slow to read ever after. */
function recordOf(row: Row): SharedRecord {
  const { extras } = row;
  return {
    id: row.id,
    recipient_id: row.recipient_id,
    channel_id: row.channel_id,
    sender_id: row.sender_id,
    topic: row.topic,
    sent_at: row.sent_at,
    client: row.client,
    content: row.content,
    rendered_content: row.rendered_content,
    is_me_message: row.is_me_message,
    channel_wildcard: row.channel_wildcard,
    read_by_sender: row.read_by_sender,
    edit_history: extras?.edit_history ?? null,
    last_edit_at: extras?.last_edit_at ?? null,
    last_moved_at: extras?.last_moved_at ?? null,
    participants: extras?.participants ?? null,
    reactions: extras?.reactions ?? null,
    submessages: extras?.submessages ?? null,
    mentioned: extras?.mentioned ?? null,
    topic_participants: extras?.topic_participants ?? null,
    alerted: extras?.alerted ?? null,
  };
}

/** What is particular to one person about some messages. */
export interface ReaderState {
  lanes: Lane[];
  flags: ReaderFlags;
}

/** The rare flags of a person on the newest messages that have some. */
export interface ReaderFlags {
  byMessage: Map<MessageId, RareFlags>;
  /** From this message on they are complete. */
  low: MessageId;
}

export interface RareFlags {
  starred: boolean;
  collapsed: boolean;
  historical: boolean;
}

export interface FlagRow {
  id: MessageId;
  s: boolean;
  c: boolean;
  h: boolean;
}

/** Most people have fewer in all. */
const maxFlagged = 500;

/** Selects the rare flags of the person `$1` on the newest messages that have some, as JSON. */
export const flagsSql = `
  (select json_agg(json_build_object('id', f.message_id, 's', f.starred, 'c', f.collapsed, 'h', f.historical))
   from (select * from message_flags f where f.user_id = $1::bigint and (f.starred or f.collapsed or f.historical)
         order by f.message_id desc limit ${maxFlagged}) f)`;

/** Reads what `flagsSql` selected. */
export function readFlagRows(selected: readonly FlagRow[] | null): ReaderFlags {
  const rows = selected ?? [];
  return {
    byMessage: new Map(rows.map(({ id, s, c, h }) => [id, { starred: s, collapsed: c, historical: h }])),
    low: rows.length < maxFlagged ? 0 : rows.reduce((low, { id }) => Math.min(low, id), Number.POSITIVE_INFINITY),
  };
}

/** A person's conversations, and their rare flags. One statement. */
export async function readReaderState(sql: Sql, userId: UserId): Promise<ReaderState> {
  // Unsafe: the statement is a constant that is put together once.
  const rows = await sql.unsafe<{ lanes: string; flags: FlagRow[] | null }[]>(
    `select (${lanesSql}) as lanes, ${flagsSql} as flags`,
    [userId],
    { prepare: true },
  );
  const { lanes, flags } = onlyRow(rows);
  return { lanes: parseLanes(lanes), flags: readFlagRows(flags) };
}
