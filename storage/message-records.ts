/** Messages as one reader has them: the row, their flags on it, reactions and submessages. */
import type { EditHistoryEntry } from "./messages.ts";
import { type Narrowed, Parameters } from "./narrow.ts";
import { aroundSql, type Stretch } from "./narrow-walk.ts";
import type { Sql } from "./postgres.ts";

/** A message and what of it depends on the reader. */
export interface MessageRecordRow {
  id: number;
  recipient_id: number;
  channel_id: number | null;
  sender_id: number;
  topic: string;
  content: string;
  rendered_content: string;
  /** UNIX seconds */
  sent_at: number;
  client: string;
  is_me_message: boolean;
  /** Newest first; null when never edited. */
  edit_history: EditHistoryEntry[] | null;
  last_edit_at: number | null;
  last_moved_at: number | null;
  /** Everyone in the direct conversation, ascending; null in a channel. */
  participants: number[] | null;
  /** Whether the reader received it; true in a direct conversation of theirs. */
  received: boolean;
  is_read: boolean;
  starred: boolean;
  collapsed: boolean;
  mentioned: boolean;
  channel_wildcard: boolean;
  topic_wildcard: boolean;
  alerted: boolean;
  /** In the order they were made; null when there are none. */
  reactions: { emoji_name: string; emoji_code: string; reaction_type: string; user_id: number }[] | null;
  submessages: { id: number; message_id: number; sender_id: number; msg_type: string; content: string }[] | null;
}

/** What `select` takes of message `m`, with the tables of `recordJoins`. `$2` is the reader. */
const recordColumns = `
  m.id, m.recipient_id, m.channel_id, m.sender_id, m.topic, m.content, m.rendered_content, m.sent_at, m.client,
  m.is_me_message, m.edit_history, m.last_edit_at, m.last_moved_at, c.user_ids as participants,
  case when m.channel_id is null then coalesce($2::bigint = any(c.user_ids), false) else coalesce(r.ids @> m.id, false) end as received,
  (m.sender_id = $2::bigint and m.read_by_sender) is true or coalesce(s.ids @> m.id, false) as is_read,
  coalesce(f.starred, false) as starred, coalesce(f.collapsed, false) as collapsed,
  coalesce($2::bigint = any(m.mentioned), false) as mentioned, m.channel_wildcard,
  coalesce($2::bigint = any(m.topic_participants), false) as topic_wildcard,
  coalesce($2::bigint = any(m.alerted), false) as alerted,
  (select json_agg(json_build_object('emoji_name', x.emoji_name, 'emoji_code', x.emoji_code,
     'reaction_type', x.reaction_type, 'user_id', x.user_id) order by x.id) from reactions x where x.message_id = m.id) as reactions,
  (select json_agg(json_build_object('id', x.id, 'message_id', x.message_id, 'sender_id', x.sender_id,
     'msg_type', x.msg_type, 'content', x.content) order by x.id) from submessages x where x.message_id = m.id) as submessages`;
const recordJoins = `
  join messages m on m.realm_id = $1::integer and m.id = picked.id
  left join direct_conversations c on m.channel_id is null and c.recipient_id = m.recipient_id
  left join received r on m.channel_id is not null and r.user_id = $2::bigint and r.recipient_id = m.recipient_id
  left join read_states s on s.user_id = $2::bigint and s.recipient_id = m.recipient_id
  left join message_flags f on f.user_id = $2::bigint and f.message_id = m.id
  order by picked.id`;

/** The messages of a narrow around an anchor, ascending, in one statement. */
export function readAround(sql: Sql, narrowed: Narrowed, stretch: Stretch): Promise<MessageRecordRow[]> {
  const { parameters, text } = aroundSql(narrowed, stretch);
  return read(sql, parameters, `${text} select ${recordColumns} from picked ${recordJoins}`);
}

/** The messages of these ids that exist, ascending, whoever may read them. */
export async function readRecords(
  sql: Sql,
  realmId: number,
  userId: number | null,
  ids: readonly number[],
): Promise<MessageRecordRow[]> {
  if (ids.length === 0) return [];
  const parameters = new Parameters();
  parameters.add(realmId, "integer");
  parameters.add(userId, "bigint");
  const wanted = parameters.ids([...new Set(ids)]);
  return read(sql, parameters, `select ${recordColumns} from unnest(${wanted}) as picked(id) ${recordJoins}`);
}

async function read(sql: Sql, parameters: Parameters, text: string): Promise<MessageRecordRow[]> {
  return sql.unsafe<MessageRecordRow[]>(text, parameters.values, { prepare: true });
}
