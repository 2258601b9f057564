/**
 * Changes of sent messages: edits, moves, deletion. Every statement works on a set of messages, which may be large. The
 * set is joined as a table, or parsed once in a sub-select: a cast in a condition is evaluated for each row.
 */

import type { ChannelId, MessageId, RealmId, RecipientId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";
import { idArray, multirange } from "./id-literals.ts";
import { keepHeldMessages } from "./legal-holds.ts";
import type { MessageRow } from "./messages.ts";
import { hasRead } from "./read-segments.ts";

export interface TopicMessage {
  id: MessageId;
  /** UNIX seconds */
  sent_at: number;
  /** In its own letters. */
  topic: string;
}

/**
 * Messages of a topic, ascending.
 *
 * @param options.fromId only this one and later ones
 * @param options.toId only this one and earlier ones, of which the newest `limit`
 * @param options.receivedBy only what this person received: for a channel whose history they may not read
 */
export async function findTopicMessages(
  sql: Sql,
  recipientId: RecipientId,
  topic: string,
  options: {
    fromId?: MessageId | undefined;
    toId?: MessageId | undefined;
    receivedBy?: UserId | undefined;
    limit?: number;
  } = {},
): Promise<TopicMessage[]> {
  // Unsafe: one value stands in several places, and is sent once.
  const rows = await sql.unsafe<TopicMessage[]>(
    `select m.id, m.sent_at, m.topic from messages m
     where m.recipient_id = $1 and m.channel_id is not null and lower(m.topic) = lower($2)
       and m.id >= $3 and m.id <= $4
       and ($5::bigint is null or exists (
         select 1 from received r where r.user_id = $5 and r.recipient_id = m.recipient_id and r.ids @> m.id))
     order by m.id desc limit $6`,
    [
      recipientId,
      topic,
      options.fromId ?? 0,
      options.toId ?? Number.MAX_SAFE_INTEGER,
      options.receivedBy ?? null,
      options.limit ?? null,
    ],
    { prepare: true },
  );
  return rows.reverse();
}

/** Whether any message of the topic is left beside these. @param ids ascending @param toId it and earlier ones */
export async function topicHasOthers(
  sql: Sql,
  recipientId: RecipientId,
  topic: string,
  ids: readonly MessageId[],
  toId = Number.MAX_SAFE_INTEGER,
): Promise<boolean> {
  const rows = await sql`
    select 1 from messages where recipient_id = ${recipientId} and channel_id is not null
      and lower(topic) = lower(${topic}) and id <= ${toId} and not (select ${multirange(ids)}::text::int8multirange) @> id limit 1`;
  return rows.length > 0;
}

/**
 * The oldest message of a conversation except these; null when there is none.
 *
 * @param first no message is older. What was deleted before it, which a vacuum has yet to take away, is passed over.
 */
export async function firstMessageBeside(
  sql: Sql,
  recipientId: RecipientId,
  ids: readonly MessageId[],
  first: MessageId,
): Promise<MessageId | null> {
  const rows = await sql<{ id: MessageId }[]>`
    select id from messages where recipient_id = ${recipientId} and id >= ${first}
      and not (select ${multirange(ids)}::text::int8multirange) @> id order by id limit 1`;
  return rows[0]?.id ?? null;
}

export type EditedContent = Pick<
  MessageRow,
  | "content"
  | "rendered_content"
  | "is_me_message"
  | "has_link"
  | "has_image"
  | "has_attachment"
  | "channel_wildcard"
  | "topic_wildcard"
  | "mentioned"
  | "topic_participants"
  | "alerted"
>;

/** Replaces a message's content, and notes the old one in its history, unless a move in the same request does so. */
export async function updateContent(
  sql: Sql,
  realmId: RealmId,
  id: MessageId,
  now: number,
  edited: EditedContent,
): Promise<void> {
  await sql`update messages set ${sql({ ...edited, last_edit_at: now })} where realm_id = ${realmId} and id = ${id}`;
}

/** Replaces what is shown of a content that stays. */
export async function updateRendering(sql: Sql, realmId: RealmId, id: number, html: string): Promise<void> {
  await sql`update messages set rendered_content = ${html} where realm_id = ${realmId} and id = ${id}`;
}

export interface HistoryChange {
  userId: UserId;
  /** UNIX seconds */
  now: number;
  /** The topic that all of them get. */
  topic?: string | undefined;
  channels?: { from: ChannelId; to: { id: ChannelId; recipient_id: RecipientId } } | undefined;
  /** Whether it counts as a move, and not as mere bookkeeping. */
  isMove?: boolean | undefined;
  /** What the history keeps of the edited message alone. */
  content?: { id: MessageId; prev_content: string; prev_rendered_content?: string } | undefined;
}

/**
 * Adds an entry to the messages' edit histories, newest first, and puts them where the change says. The edited content
 * is not written here: see `updateContent`.
 */
export async function recordChange(
  sql: Sql,
  realmId: RealmId,
  ids: readonly MessageId[],
  change: HistoryChange,
): Promise<void> {
  const { content, channels } = change;
  const common = {
    user_id: change.userId,
    timestamp: change.now,
    ...(channels && { prev_stream: channels.from, stream: channels.to.id }),
  };
  const own = content && {
    prev_content: content.prev_content,
    ...(content.prev_rendered_content !== undefined && { prev_rendered_content: content.prev_rendered_content }),
  };
  // Unsafe: one value stands in several places, and is sent once.
  await sql.unsafe(
    `update messages m set
       edit_history = jsonb_build_array(
           $3::text::jsonb
           || case when $4::text is null then '{}' else jsonb_build_object('prev_topic', m.topic, 'topic', $4::text) end
           || case when m.id = $5::bigint then $6::text::jsonb else '{}' end)
         || coalesce(m.edit_history, '[]'),
       topic = coalesce($4::text, m.topic), channel_id = coalesce($7::bigint, m.channel_id),
       recipient_id = coalesce($8::bigint, m.recipient_id), last_moved_at = coalesce($9::bigint, m.last_moved_at)
     from unnest($2::text::bigint[]) as chosen(id) where m.realm_id = $1 and m.id = chosen.id`,
    [
      realmId,
      idArray(ids),
      JSON.stringify(common),
      change.topic ?? null,
      content?.id ?? null,
      JSON.stringify(own ?? {}),
      channels?.to.id ?? null,
      channels?.to.recipient_id ?? null,
      change.isMove ? change.now : null,
    ],
  );
}

/** Users for whom a message is unread, ascending, of those who received it or take part in the direct conversation. */
export async function unreadBy(
  sql: Sql,
  message: { id: MessageId; recipient_id: RecipientId; sender_id: UserId; read_by_sender: boolean },
  participants: readonly UserId[] | null,
): Promise<UserId[]> {
  // Unsafe: one value stands in several places, and is sent once.
  const rows = await sql.unsafe<{ user_id: UserId }[]>(
    `select p.user_id from (
       select user_id from received where $3::text is null and recipient_id = $1 and ids @> $2::bigint
       union all select unnest($3::text::bigint[])) p
     left join read_states s on s.user_id = p.user_id and s.recipient_id = $1
     where not coalesce(${hasRead("s", "$2::bigint")}, false) and not (p.user_id = $4 and $5)
     order by p.user_id`,
    [
      message.recipient_id,
      message.id,
      participants === null ? null : idArray(participants),
      message.sender_id,
      message.read_by_sender,
    ],
  );
  return rows.map((row) => row.user_id);
}

export interface SetFlags {
  user_id: UserId;
  starred: boolean;
  collapsed: boolean;
  historical: boolean;
}

/** The rare flags that people gave a message. */
export async function flagsOn(sql: Sql, messageId: MessageId): Promise<SetFlags[]> {
  return sql<
    SetFlags[]
  >`select user_id, starred, collapsed, historical from message_flags where message_id = ${messageId}`;
}

/** Deletes flags of people on messages that they can no longer read. */
export async function dropFlags(sql: Sql, ids: readonly MessageId[], userIds: readonly UserId[]): Promise<void> {
  await sql`
    delete from message_flags f using unnest(${idArray(ids)}::text::bigint[]) as gone(id)
    where f.message_id = gone.id and f.user_id in (select unnest(${idArray(userIds)}::text::bigint[]))`;
}

/**
 * Deletes messages and all that belongs to them. Those under a legal hold are kept aside.
 * Sets of received and read ids keep the ids, which are never reused.
 */
export async function deleteMessageRows(sql: Sql, realmId: RealmId, ids: readonly MessageId[]): Promise<void> {
  await keepHeldMessages(sql, realmId, ids);
  await sql`
    with gone as (
      delete from messages m using unnest(${idArray(ids)}::text::bigint[]) as chosen(id)
      where m.realm_id = ${realmId} and m.id = chosen.id returning m.id),
    r as (delete from reactions where message_id in (select id from gone)),
    s as (delete from submessages where message_id in (select id from gone))
    delete from message_flags where message_id in (select id from gone)`;
}
