/** Queries over all messages of a channel: topics, traffic, messages past their retention time. */
import type { ChannelId, MessageId, RealmId, RecipientId, UserId } from "./ids.ts";
import type { Sql } from "./postgres.ts";

export interface TopicRow {
  /** Spelled as in the newest message. */
  name: string;
  max_id: MessageId;
}

/**
 * The topics of a channel, newest message first. The index gives one topic after the other, so the cost depends on the
 * number of topics, not of messages.
 */
const everyTopic = `
  with recursive keys(key) as (
    (select lower(m.topic) from messages m where m.recipient_id = $1 and m.channel_id is not null order by lower(m.topic) limit 1)
    union all
    select (select lower(m.topic) from messages m
            where m.recipient_id = $1 and m.channel_id is not null and lower(m.topic) > k.key order by lower(m.topic) limit 1)
    from keys k where k.key is not null)`;

/** Topics of a channel whose whole history may be read. */
export async function findTopics(sql: Sql, recipientId: RecipientId): Promise<TopicRow[]> {
  // Unsafe: a part of the text is shared with other statements.
  return sql.unsafe<TopicRow[]>(
    `${everyTopic}
     select newest.topic as name, newest.id as max_id
     from keys k cross join lateral (
       select m.topic, m.id from messages m
       where m.recipient_id = $1 and m.channel_id is not null and lower(m.topic) = k.key order by m.id desc limit 1) newest
     where k.key is not null order by newest.id desc`,
    [recipientId],
    { prepare: true },
  );
}

/** Topics with a message that the person received, for a channel whose history is protected. */
export async function findReceivedTopics(sql: Sql, recipientId: RecipientId, userId: UserId): Promise<TopicRow[]> {
  // Unsafe: a part of the text is shared, and one value stands in several places.
  return sql.unsafe<TopicRow[]>(
    `${everyTopic}, spans as (
       select coalesce(lower(span), 0) as first, coalesce(upper(span), 9223372036854775807) as after
       from received r cross join lateral unnest(r.ids) span where r.user_id = $2 and r.recipient_id = $1)
     select newest.topic as name, newest.id as max_id
     from keys k cross join lateral (
       select m.topic, m.id from spans s cross join lateral (
         select m.topic, m.id from messages m
         where m.recipient_id = $1 and m.channel_id is not null and lower(m.topic) = k.key and m.id >= s.first and m.id < s.after
         order by m.id desc limit 1) m
       order by m.id desc limit 1) newest
     where k.key is not null order by newest.id desc`,
    [recipientId, userId],
    { prepare: true },
  );
}

/** Whether a channel has a message under a topic that is not the empty one. */
export async function hasNamedTopic(sql: Sql, recipientId: RecipientId): Promise<boolean> {
  const rows = await sql`
    select 1 from messages where recipient_id = ${recipientId} and channel_id is not null and lower(topic) > ''
    order by lower(topic) limit 1`;
  return rows.length > 0;
}

/** Messages sent to each channel of a realm since a time (UNIX seconds). Channels without any are left out. */
export async function countMessagesSince(
  sql: Sql,
  realmId: RealmId,
  since: number,
): Promise<{ channel_id: ChannelId; messages: number }[]> {
  return sql<{ channel_id: ChannelId; messages: number }[]>`
    select channel_id, count(*)::int as messages from messages
    where realm_id = ${realmId} and sent_at >= ${since} and channel_id is not null group by channel_id`;
}

/** When the newest message of each of these channels was sent, UNIX seconds. Channels without messages are left out. */
export async function findNewestSendTimes(
  sql: Sql,
  recipientIds: readonly RecipientId[],
): Promise<{ recipient_id: RecipientId; sent_at: number }[]> {
  if (recipientIds.length === 0) return [];
  return sql<{ recipient_id: RecipientId; sent_at: number }[]>`
    select c.recipient_id, newest.sent_at
    from unnest(${`{${recipientIds.join(",")}}`}::text::bigint[]) as c(recipient_id)
    cross join lateral (
      select m.sent_at from messages m where m.recipient_id = c.recipient_id order by m.id desc limit 1) newest`;
}
