import { firstOf } from "../failures.ts";
import type { ChannelId, MessageId, RealmId, RecipientId, UserId } from "../ids.ts";
import type { Sql, Statement } from "../postgres.ts";

/** A stored message. Ids ascend within a realm; `channel_id` null means a direct message. */
export interface MessageRow {
  id: MessageId;
  recipient_id: RecipientId;
  channel_id: ChannelId | null;
  sender_id: UserId;
  topic: string;
  content: string;
  rendered_content: string;
  /** UNIX seconds */
  sent_at: number;
  client: string;
  is_me_message: boolean;
  has_link: boolean;
  has_image: boolean;
  has_attachment: boolean;
  read_by_sender: boolean;
  channel_wildcard: boolean;
  topic_wildcard: boolean;
  mentioned: UserId[] | null;
  topic_participants: UserId[] | null;
  alerted: UserId[] | null;
  /** The words that it is found by, as text of a `tsvector`. Absent: PostgreSQL makes them. */
  search?: string | undefined;
}

/** A stored message, with the columns that edits and reactions change. */
export interface StoredMessage extends MessageRow {
  has_reaction: boolean;
  /** Newest first, in the wire's form; null when never edited. */
  edit_history: EditHistoryEntry[] | null;
  last_edit_at: number | null;
  last_moved_at: number | null;
}

export interface EditHistoryEntry {
  user_id: UserId | null;
  timestamp: number;
  prev_content?: string;
  prev_rendered_content?: string;
  prev_topic?: string;
  topic?: string;
  prev_stream?: ChannelId;
  stream?: ChannelId;
}

/** The columns that a send fills and that are read, with the types of its JSON rows. */
export const messageColumns: readonly { name: keyof MessageRow; type: string }[] = [
  { name: "id", type: "bigint" },
  { name: "recipient_id", type: "bigint" },
  { name: "channel_id", type: "bigint" },
  { name: "sender_id", type: "bigint" },
  { name: "topic", type: "text" },
  { name: "content", type: "text" },
  { name: "rendered_content", type: "text" },
  { name: "sent_at", type: "bigint" },
  { name: "client", type: "text" },
  { name: "is_me_message", type: "boolean" },
  { name: "has_link", type: "boolean" },
  { name: "has_image", type: "boolean" },
  { name: "has_attachment", type: "boolean" },
  { name: "read_by_sender", type: "boolean" },
  { name: "channel_wildcard", type: "boolean" },
  { name: "topic_wildcard", type: "boolean" },
  { name: "mentioned", type: "bigint[]" },
  { name: "topic_participants", type: "bigint[]" },
  { name: "alerted", type: "bigint[]" },
];

/** The columns of `insert`. */
export const insertedColumns: typeof messageColumns = [...messageColumns, { name: "search", type: "tsvector" }];

/** Every column of a message but the search vector, for `select`. */
export const storedMessageColumns = [
  ...messageColumns.map(({ name }) => name),
  "has_reaction",
  "edit_history",
  "last_edit_at",
  "last_moved_at",
]
  .map((name) => `m.${name}`)
  .join(", ");

const insertColumns = insertedColumns.map(({ name }) => name).join(", ");
const insertStatement = `insert into messages (realm_id, ${insertColumns})
  select $1::int, r.* from json_to_record($2::text::json) as r(${insertedColumns.map(({ name, type }) => `${name} ${type}`).join(", ")})`;

/** Stores a message: the statement, unsent. */
export const insertMessage = (sql: Sql, realmId: RealmId, row: MessageRow): Statement =>
  // Unsafe: the statement is a constant that is put together once.
  sql.unsafe(insertStatement, [realmId, JSON.stringify(row)], { prepare: true });

export async function findMessages(sql: Sql, realmId: RealmId, ids: readonly MessageId[]): Promise<StoredMessage[]> {
  if (ids.length === 0) return [];
  // Unsafe: a part of the text is shared with other statements.
  return sql.unsafe<StoredMessage[]>(
    `select ${storedMessageColumns} from messages m where m.realm_id = $1 and m.id in (select unnest($2::text::bigint[])) order by m.id`,
    [realmId, `{${ids.join(",")}}`],
    { prepare: true },
  );
}

/** The conversation of exactly these users (ascending ids, each once), made when there is none yet. */
export async function ensureDirectConversation(
  sql: Sql,
  realmId: RealmId,
  userIds: readonly UserId[],
): Promise<RecipientId> {
  const key = `{${userIds.join(",")}}`;
  const found = await sql<{ recipient_id: RecipientId }[]>`
    select recipient_id from direct_conversations where realm_id = ${realmId} and user_ids = ${key}::text::bigint[]`;
  if (found[0]) return found[0].recipient_id;
  const made = await sql<{ recipient_id: RecipientId }[]>`
    with made as (
      insert into direct_conversations (realm_id, user_ids) values (${realmId}, ${key}::text::bigint[])
      on conflict (realm_id, user_ids) do update set realm_id = excluded.realm_id returning recipient_id, user_ids),
    members as (
      insert into direct_conversation_members (user_id, recipient_id)
      select unnest(user_ids), recipient_id from made on conflict do nothing)
    select recipient_id from made`;
  return firstOf(made).recipient_id;
}

/** Participants of direct conversations, by recipient id. */
export async function findDirectConversations(
  sql: Sql,
  recipientIds: readonly RecipientId[],
): Promise<Map<RecipientId, UserId[]>> {
  if (recipientIds.length === 0) return new Map();
  const rows = await sql<{ recipient_id: RecipientId; user_ids: UserId[] }[]>`
    select recipient_id, user_ids from direct_conversations where recipient_id in (select unnest(${`{${recipientIds.join(",")}}`}::text::bigint[]))`;
  return new Map(rows.map((row) => [row.recipient_id, row.user_ids]));
}

/** The newest message id of a realm, 0 when it has none. */
export async function newestMessageId(sql: Sql, realmId: RealmId): Promise<MessageId> {
  const rows = await sql<{ id: MessageId | null }[]>`select max(id) as id from messages where realm_id = ${realmId}`;
  return rows[0]?.id ?? 0;
}

/** Whether a channel has a message under this topic, ignoring case. */
export async function topicExists(sql: Sql, recipientId: RecipientId, topic: string): Promise<boolean> {
  const rows = await sql`
    select 1 from messages where recipient_id = ${recipientId} and channel_id is not null and lower(topic) = lower(${topic}) limit 1`;
  return rows.length > 0;
}

/** Whether a conversation has any message. */
export async function conversationHasMessages(sql: Sql, recipientId: RecipientId): Promise<boolean> {
  const rows = await sql`select 1 from messages where recipient_id = ${recipientId} limit 1`;
  return rows.length > 0;
}

/** Everyone who sent to a topic or reacted in it, ascending. */
export async function findTopicParticipants(sql: Sql, recipientId: RecipientId, topic: string): Promise<UserId[]> {
  const rows = await sql<{ user_id: UserId }[]>`
    with topic as (select id, sender_id from messages where recipient_id = ${recipientId} and channel_id is not null and lower(topic) = lower(${topic}))
    select sender_id as user_id from topic union select r.user_id from reactions r join topic on topic.id = r.message_id order by user_id`;
  return rows.map((row) => row.user_id);
}
