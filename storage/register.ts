/**
 * What the register answer tells of messages, where the index of the history does not reach. See `actors/register/`.
 */
import { onlyRow } from "./failures.ts";
import type { ChannelId, MessageId, RealmId, RecipientId, UserId } from "./ids.ts";
import { parseIntegers } from "./integers.ts";
import { allRead } from "./messages/read-segments.ts";
import type { Sql } from "./postgres.ts";

/** A person's unread messages in one conversation: a topic, or a direct conversation. */
export interface UnreadConversation {
  recipient_id: RecipientId;
  channel_id: ChannelId | null;
  /** As the oldest of the messages has it. */
  topic: string;
  /** Ascending. */
  ids: MessageId[];
  /** Those of them that mention the person, by name or otherwise; ascending. */
  mentions: MessageId[];
}

/**
 * Unread messages of a person, by conversation, that with the oldest first. They are what the person received in the
 * conversations they take part in, minus what they have read. At most the newest `max` are considered; `isCut` says
 * that there are older ones.
 *
 * Ids are chosen from the index alone: rows are looked at only of those that are told.
 */
export async function findUnread(
  sql: Sql,
  realmId: RealmId,
  userId: UserId,
  max: number,
): Promise<{ conversations: UnreadConversation[]; isCut: boolean }> {
  interface Row {
    candidates: number;
    recipient_id: RecipientId | null;
    channel_id: ChannelId | null;
    topic: string;
    ids: string;
    mentions: string | null;
  }
  // Unsafe: one value stands in several places, and is sent once.
  const rows = await sql.unsafe<Row[]>(
    `with conversations as (
       select r.recipient_id, r.ids as received from received r where r.user_id = $2
       union all
       select d.recipient_id, int8multirange(int8range(null, null)) from direct_conversation_members d where d.user_id = $2),
     open as (
       select c.recipient_id, unnest(c.received - coalesce(${allRead("s")}, '{}')) as ids
       from conversations c left join read_states s on s.user_id = $2 and s.recipient_id = c.recipient_id),
     newest as materialized (
       select m.id from open o cross join lateral (
         select m.id from messages m where m.recipient_id = o.recipient_id
           and m.id >= coalesce(lower(o.ids), 0) and m.id < coalesce(upper(o.ids), 9223372036854775807)
         order by m.id desc limit $3::int + 1) m
       order by m.id desc limit $3::int + 1),
     unread as (
       select m.recipient_id, m.channel_id, (array_agg(m.topic order by m.id))[1] as topic,
              array_agg(m.id order by m.id)::text as ids,
              (array_agg(m.id order by m.id) filter (where coalesce($2 = any(m.mentioned), false)
                or coalesce($2 = any(m.topic_participants), false) or m.channel_wildcard))::text as mentions,
              min(m.id) as oldest
       from (select id from newest order by id desc limit $3::int) told
       join messages m on m.realm_id = $1 and m.id = told.id
       where not (m.sender_id = $2 and m.read_by_sender)
       group by m.recipient_id, m.channel_id, lower(m.topic))
     select all_of.candidates, unread.recipient_id, unread.channel_id, unread.topic, unread.ids, unread.mentions
     from (select count(*)::int as candidates from newest) all_of left join unread on true
     order by unread.oldest`,
    [realmId, userId, max],
    { prepare: true },
  );
  return {
    conversations: rows.flatMap(({ recipient_id, channel_id, topic, ids, mentions }) =>
      recipient_id === null
        ? []
        : [{ recipient_id, channel_id, topic, ids: parseIntegers(ids), mentions: parseIntegers(mentions ?? "{}") }],
    ),
    isCut: onlyRow(rows).candidates > max,
  };
}

/** The newest message that a person received, -1 when there is none. */
export async function findMaxMessageId(sql: Sql, userId: UserId): Promise<MessageId> {
  const rows = await sql<{ id: MessageId | null }[]>`
    select max(newest.id) as id from (
      select (select m.id from messages m where m.recipient_id = r.recipient_id and r.ids @> m.id
                and m.id < coalesce(upper(r.ids), 9223372036854775807) order by m.id desc limit 1) as id
      from received r where r.user_id = ${userId}
      union all
      select (select max(m.id) from messages m where m.recipient_id = d.recipient_id) from direct_conversation_members d where d.user_id = ${userId}) newest`;
  return rows[0]?.id ?? -1;
}
