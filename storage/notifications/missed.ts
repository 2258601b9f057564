/** Which messages people have missed and are to be told of. Times are UNIX seconds. */

import { isServed } from "../directory/served.ts";
import { onlyRow } from "../failures.ts";
import type { ChannelId, MessageId, RealmId, RecipientId, UserId } from "../ids.ts";
import { hasRead } from "../messages/read-segments.ts";
import type { Sql } from "../postgres.ts";

/** Whom a message may concern. Messages that follow each other are often alike in it. */
export interface Notifiable {
  channel_id: ChannelId | null;
  sender_id: UserId;
  topic: string;
  channel_wildcard: boolean;
  mentioned: number[] | null;
  topic_participants: number[] | null;
  /** Whose alert words are in it. */
  alerted: number[] | null;
  /** Everybody in a direct conversation, the sender too. */
  participants: number[] | null;
}

/** Messages that concern the same people. */
export interface AlikeMessages extends Notifiable {
  last_id: MessageId;
  count: number;
  /** Of those that are not too old, ascending, as `sentOf` reads them; null: all are too old. */
  sent: string | null;
}

/** One that somebody has missed, as it is now. */
export interface MissedMessage extends Notifiable {
  id: MessageId;
  recipient_id: RecipientId;
  sent_at: number;
  user_id: UserId;
  content: string;
  rendered_content: string;
  /** Whether they received it; false in a direct conversation. */
  received: boolean;
}

/** A message that somebody is to be told of at `due_at`. */
export interface MissedRow {
  user_id: UserId;
  message_id: MessageId;
  due_at: number;
}

/**
 * Up to which message was decided. It is the caller's as long as its transaction lasts: two nodes that both think that
 * they write a realm go one after the other.
 *
 * @param since where nothing was decided yet, only later messages are looked at
 */
export async function lockNotificationCursor(sql: Sql, realmId: RealmId, since: number): Promise<number> {
  await sql`
    insert into notification_cursors (realm_id, message_id)
    select ${realmId}::int, coalesce((
      select id from messages where realm_id = ${realmId} and sent_at < ${since} order by id desc limit 1), 0)
    where not exists (select from notification_cursors where realm_id = ${realmId})
    on conflict do nothing`;
  const rows = await sql<{ message_id: MessageId }[]>`
    select message_id from notification_cursors where realm_id = ${realmId} for update`;
  return onlyRow(rows).message_id;
}

export async function moveNotificationCursor(sql: Sql, realmId: RealmId, messageId: MessageId): Promise<void> {
  await sql`update notification_cursors set message_id = ${messageId} where realm_id = ${realmId}`;
}

/** Nobody is to be told of anything so far. */
export async function moveNotificationCursorToEnd(sql: Sql, realmId: RealmId): Promise<void> {
  await sql`
    update notification_cursors set message_id = greatest(message_id, coalesce((
      select max(id) from messages where realm_id = ${realmId}), 0)) where realm_id = ${realmId}`;
}

/**
 * The next messages after one. Of many that are alike there is one row: an organization may send thousands a second,
 * and most concern nobody who is away.
 *
 * @param since older ones are counted only
 */
export async function readMessagesAfter(
  sql: Sql,
  realmId: RealmId,
  { after, since, limit }: { after: number; since: number; limit: number },
): Promise<AlikeMessages[]> {
  return sql`
    with next as materialized (
      select id, recipient_id, channel_id, sender_id, topic, sent_at, channel_wildcard, mentioned, topic_participants,
        alerted
      from messages where realm_id = ${realmId} and id > ${after} order by id limit ${limit})
    select n.channel_id, n.sender_id, n.topic, n.channel_wildcard, n.mentioned, n.topic_participants, n.alerted,
      d.user_ids as participants, max(n.id) as last_id, count(*)::int as count,
      string_agg(n.id || ':' || n.sent_at, ',' order by n.id) filter (where n.sent_at >= ${since}) as sent
    from next n left join direct_conversations d on n.channel_id is null and d.recipient_id = n.recipient_id
    group by n.channel_id, n.sender_id, n.topic, n.channel_wildcard, n.mentioned, n.topic_participants, n.alerted,
      d.recipient_id, d.user_ids`;
}

/** Ids and times of messages that are alike. */
export function sentOf({ sent }: AlikeMessages): { id: MessageId; sent_at: number }[] {
  if (sent === null) return [];
  return sent.split(",").map((pair) => {
    const colon = pair.indexOf(":");
    return { id: Number(pair.slice(0, colon)), sent_at: Number(pair.slice(colon + 1)) };
  });
}

export async function insertMissed(sql: Sql, realmId: RealmId, rows: readonly MissedRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into missed_messages (user_id, message_id, realm_id, due_at)
    select r.user_id, r.message_id, ${realmId}::int, r.due_at
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as r(user_id bigint, message_id bigint, due_at bigint)
    on conflict do nothing`;
}

/** People to be told now. */
export async function findDuePeople(sql: Sql, realmId: RealmId, now: number, limit: number): Promise<number[]> {
  const rows = await sql<{ user_id: UserId }[]>`
    select user_id from missed_messages where realm_id = ${realmId} and due_at <= ${now}
    group by user_id order by min(due_at) limit ${limit}`;
  return rows.map((row) => row.user_id);
}

/**
 * Realms in which a message waits to be looked at: one of after `since`, or of after `firstSince` where none ever was.
 */
export const unseen = (sql: Sql, since: number, firstSince: number) => sql`
  select r.id as realm_id from realms r left join notification_cursors c on c.realm_id = r.id
  where case when c.realm_id is null then ${firstSince}::bigint else ${since}::bigint end < (
    select m.sent_at from messages m
    where m.realm_id = r.id and m.id > coalesce(c.message_id, 0) order by m.id desc limit 1) and ${isServed(sql)}`;

/** Realms in which somebody is to be told now, or a message waits to be looked at. A node may have died in between. */
export async function findRealmsWithNews(sql: Sql, now: number, since: number, firstSince: number): Promise<RealmId[]> {
  const rows = await sql<{ realm_id: RealmId }[]>`
    select distinct realm_id from missed_messages where due_at <= ${now} union ${unseen(sql, since, firstSince)}`;
  return rows.map((row) => row.realm_id);
}

/** When there will be such a realm; 0: there is one. Null: there is nothing to tell of. */
export async function findNextNews(sql: Sql, since: number, firstSince: number): Promise<number | null> {
  const rows = await sql<{ next: number | null }[]>`
    select case when exists (${unseen(sql, since, firstSince)}) then 0
      else (select min(due_at) from missed_messages) end as next`;
  return onlyRow(rows).next;
}

/**
 * Takes what a person has missed, to tell them all of it: who takes it at the same time gets nothing. Returns what is
 * there still, and not read, ascending; the newest `limit`.
 */
export async function takeMissed(sql: Sql, userId: UserId, limit: number): Promise<MissedMessage[]> {
  const rows = await sql<MissedMessage[]>`
    with taken as (delete from missed_messages where user_id = ${userId} returning user_id, message_id, realm_id)
    select t.user_id, m.id, m.recipient_id, m.channel_id, m.sender_id, m.topic, m.sent_at, m.channel_wildcard,
      m.mentioned, m.topic_participants, m.alerted, d.user_ids as participants, m.content, m.rendered_content,
      exists (select from received g
        where g.user_id = t.user_id and g.recipient_id = m.recipient_id and g.ids @> m.id) as received
    from taken t join messages m on m.realm_id = t.realm_id and m.id = t.message_id
    left join direct_conversations d on m.channel_id is null and d.recipient_id = m.recipient_id
    where not exists (
      select from read_states r
      where r.user_id = t.user_id and r.recipient_id = m.recipient_id and ${isRead(sql)})
    order by m.id desc limit ${limit}`;
  return rows.reverse();
}

/** Whether the row `r` of `read_states` has the message `m`. */
export const isRead = (sql: Sql) =>
  // Unsafe: a constant.
  sql.unsafe(hasRead("r", "m.id"));
