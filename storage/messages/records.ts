/** Messages as one reader has them: the row, their flags on it, reactions and submessages. */

import type { MessageId, RealmId, SubmessageId, UserId } from "../ids.ts";
import { type Narrowed, Parameters } from "../narrow/narrow.ts";
import { aroundSql, type Stretch } from "../narrow/walk.ts";
import type { Sql } from "../postgres.ts";
import { keysOf, recordOf } from "../rows.ts";
import type { EditHistoryEntry, MessageRow } from "./messages.ts";
import { hasRead } from "./read-segments.ts";
import { messageSize } from "./sizes.ts";

type SharedColumn =
  | "id"
  | "recipient_id"
  | "channel_id"
  | "sender_id"
  | "topic"
  // A text that was not asked for is empty.
  | "content"
  | "rendered_content"
  | "sent_at"
  | "client"
  | "is_me_message";

/** A message with its columns that depend on the reader. */
export interface MessageRecordRow extends Pick<MessageRow, SharedColumn> {
  /** Newest first; null when never edited. */
  edit_history: EditHistoryEntry[] | null;
  last_edit_at: number | null;
  last_moved_at: number | null;
  /** Everyone in the direct conversation, ascending; null in a channel. */
  participants: UserId[] | null;
  /** Whether the reader received it; true in a direct conversation of theirs. */
  received: boolean;
  is_read: boolean;
  starred: boolean;
  collapsed: boolean;
  /** Whether the reader has flags on it without having received it. */
  historical: boolean;
  mentioned: boolean;
  channel_wildcard: boolean;
  topic_wildcard: boolean;
  alerted: boolean;
  /** In the order they were made; null when there are none. */
  reactions: { emoji_name: string; emoji_code: string; reaction_type: string; user_id: UserId }[] | null;
  submessages:
    | { id: SubmessageId; message_id: MessageId; sender_id: UserId; msg_type: string; content: string }[]
    | null;
}

/**
 * A row as it is read. It has few columns, since each costs as much as a short text; one has what most messages lack.
 */
interface Row extends Pick<MessageRecordRow, "id" | "recipient_id" | "channel_id" | "sender_id" | "topic" | "client"> {
  content: string | null;
  rendered_content: string | null;
  sent_at: number;
  bits: number;
  extras: Partial<
    Pick<
      MessageRecordRow,
      "edit_history" | "last_edit_at" | "last_moved_at" | "participants" | "reactions" | "submessages"
    >
  > | null;
}

/** Conditions on a message and its reader, in the order of the flag bits. `$2` is the reader. */
const bits = {
  is_me_message: "m.is_me_message",
  received:
    "case when m.channel_id is null then coalesce($2::bigint = any(c.user_ids), false) else coalesce(r.ids @> m.id, false) end",
  is_read: `((m.sender_id = $2::bigint and m.read_by_sender) is true or coalesce(${hasRead("s", "m.id")}, false))`,
  starred: "coalesce(f.starred, false)",
  historical: "coalesce(f.historical, false)",
  collapsed: "coalesce(f.collapsed, false)",
  mentioned: "coalesce($2::bigint = any(m.mentioned), false)",
  channel_wildcard: "m.channel_wildcard",
  topic_wildcard: "coalesce($2::bigint = any(m.topic_participants), false)",
  alerted: "coalesce($2::bigint = any(m.alerted), false)",
};
type Bit = keyof typeof bits;
const bitNames = keysOf(bits);
const maskOf = recordOf(bitNames, (name) => 1 << bitNames.indexOf(name));

/** Which of a message's two texts are asked for. */
export interface Texts {
  content: boolean;
  rendered: boolean;
}

/** The columns to select of message `m`, with the tables of `recordJoins`. @param fits whether it has its texts */
const recordColumns = ({ content, rendered }: Texts, fits = "true"): string => `
  m.id, m.recipient_id, m.channel_id, m.sender_id, m.topic, m.sent_at, m.client,
  ${content ? `case when ${fits} then m.content end` : "null::text"} as content,
  ${rendered ? `case when ${fits} then m.rendered_content end` : "null::text"} as rendered_content,
  ${bitNames.map((name) => `(${bits[name]})::integer * ${maskOf[name]}`).join(" + ")} as bits,
  case when not (${fits}) then null when m.edit_history is not null or m.last_edit_at is not null or m.last_moved_at is not null or m.channel_id is null
         or m.has_reaction or w.parts is not null
    then json_build_object('edit_history', m.edit_history, 'last_edit_at', m.last_edit_at, 'last_moved_at', m.last_moved_at,
      'participants', c.user_ids, 'submessages', w.parts, 'reactions',
      (select json_agg(json_build_object('emoji_name', x.emoji_name, 'emoji_code', x.emoji_code,
         'reaction_type', x.reaction_type, 'user_id', x.user_id) order by x.id) from reactions x where x.message_id = m.id))
  end as extras`;
const recordJoins = `
  join messages m on m.realm_id = $1::integer and m.id = picked.id
  left join direct_conversations c on m.channel_id is null and c.recipient_id = m.recipient_id
  left join received r on m.channel_id is not null and r.user_id = $2::bigint and r.recipient_id = m.recipient_id
  left join read_states s on s.user_id = $2::bigint and s.recipient_id = m.recipient_id
  left join message_flags f on f.user_id = $2::bigint and f.message_id = m.id
  left join lateral (select json_agg(json_build_object('id', x.id, 'message_id', x.message_id, 'sender_id', x.sender_id,
     'msg_type', x.msg_type, 'content', x.content) order by x.id) as parts from submessages x where x.message_id = m.id) w on true
  order by picked.id`;

/** Messages of a narrow around an anchor, and those of them that fit one answer. */
export interface ReadAround {
  /** All, ascending. */
  ids: MessageId[];
  /** The nearest ones, ascending. */
  records: MessageRecordRow[];
}

/**
 * The messages of a narrow around an anchor, in one statement.
 *
 * @param mostBytes of the texts of both sides. The anchor and the next of each side fit whatever their size, so that
 * whoever asks on makes progress. What is beyond one that does not fit does not fit either.
 */
export async function readAround(
  sql: Sql,
  narrowed: Narrowed,
  stretch: Stretch,
  texts: Texts,
  mostBytes: number,
): Promise<ReadAround> {
  const { parameters, text } = aroundSql(narrowed, stretch);
  const anchor = parameters.add(stretch.anchor, "bigint");
  const most = parameters.add(mostBytes, "bigint");
  const fits = `(picked.place <= 2 or sum(${messageSize}) over (order by picked.place) <= ${most})`;
  const placed = `select id, row_number() over (partition by id >= ${anchor}
    order by case when id >= ${anchor} then id else -id end) as place from picked`;
  const columns = `${recordColumns(texts, fits)}, ${fits} as fits`;
  const rows = await ask<Row & { fits: boolean }>(
    sql,
    parameters,
    `${text} select ${columns} from (${placed}) picked ${recordJoins}`,
  );
  return { ids: rows.map(({ id }) => id), records: rows.filter(({ fits }) => fits).map(unpack) };
}

/** The messages of these ids that exist, ascending. Access is not checked. */
export async function readRecords(
  sql: Sql,
  realmId: RealmId,
  userId: UserId | null,
  ids: readonly MessageId[],
  texts: Texts,
): Promise<MessageRecordRow[]> {
  if (ids.length === 0) return [];
  const parameters = new Parameters();
  parameters.add(realmId, "integer");
  parameters.add(userId, "bigint");
  const wanted = parameters.ids([...new Set(ids)]);
  const text = `select ${recordColumns(texts)} from unnest(${wanted}) as picked(id) ${recordJoins}`;
  return (await ask<Row>(sql, parameters, text)).map(unpack);
}

const ask = <R extends Row>(sql: Sql, parameters: Parameters, text: string) =>
  // Unsafe: the statement is put together for what is asked.
  sql.unsafe<R[]>(text, parameters.values, { prepare: true });

function unpack(row: Row): MessageRecordRow {
  const has = (bit: Bit): boolean => (row.bits & maskOf[bit]) !== 0;
  return {
    id: row.id,
    recipient_id: row.recipient_id,
    channel_id: row.channel_id,
    sender_id: row.sender_id,
    topic: row.topic,
    content: row.content ?? "",
    rendered_content: row.rendered_content ?? "",
    sent_at: row.sent_at,
    client: row.client,
    is_me_message: has("is_me_message"),
    edit_history: row.extras?.edit_history ?? null,
    last_edit_at: row.extras?.last_edit_at ?? null,
    last_moved_at: row.extras?.last_moved_at ?? null,
    participants: row.extras?.participants ?? null,
    received: has("received"),
    is_read: has("is_read"),
    starred: has("starred"),
    collapsed: has("collapsed"),
    historical: has("historical"),
    mentioned: has("mentioned"),
    channel_wildcard: has("channel_wildcard"),
    topic_wildcard: has("topic_wildcard"),
    alerted: has("alerted"),
    reactions: row.extras?.reactions ?? null,
    submessages: row.extras?.submessages ?? null,
  };
}
