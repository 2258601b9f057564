/** Notifications for phones and browsers that wait to be sent. Times are UNIX seconds. */
import { onlyRow } from "../failures.ts";
import type { BrowserId, MessageId, PushId, RealmId, UserId } from "../ids.ts";
import { idArray } from "../messages/id-literals.ts";
import type { Sql } from "../postgres.ts";
import { isRead, type MissedMessage, unseen } from "./missed.ts";

/** Where a notification goes: to all of a person's devices with a key, to all of their tokens, or to one browser. */
export type PushTarget = "devices" | "tokens" | "browser";

export interface PushRow {
  id: PushId;
  user_id: UserId;
  /** The same with each attempt: whoever gets it twice can tell. */
  notification_id: string;
  target: PushTarget;
  browser_id: BrowserId | null;
  /** Null: it takes `removed_ids` away. */
  message_id: MessageId | null;
  removed_ids: MessageId[] | null;
  /** This one included. */
  attempts: number;
  expires_at: number;
  /** As it is now; null: gone, or read. */
  message: MissedMessage | null;
}

/** Who is told of what, at all places that they have. */
export interface WantedPush {
  user_id: UserId;
  message_id: MessageId;
}

interface PushTimes {
  now: number;
  expiresAt: number;
}

/** Whether anybody in a realm can be told by anything but email. */
export async function hasPushTargets(sql: Sql, realmId: RealmId, hasRelay: boolean): Promise<boolean> {
  const rows = await sql<{ has_targets: boolean }[]>`
    select exists (select from push_browsers where realm_id = ${realmId}) or ${hasRelay} and (
      exists (select from devices where realm_id = ${realmId}) or
      exists (select from push_tokens where realm_id = ${realmId})) as has_targets`;
  return onlyRow(rows).has_targets;
}

/** Puts notifications into the queue, for those who have anything to be told by. */
export async function insertPushes(
  sql: Sql,
  realmId: RealmId,
  rows: readonly WantedPush[],
  { now, expiresAt, hasRelay }: PushTimes & { hasRelay: boolean },
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into push_notifications (realm_id, user_id, target, browser_id, message_id, next_attempt_at, expires_at)
    select ${realmId}::int, w.user_id, t.target, t.browser_id, w.message_id, ${now}::bigint, ${expiresAt}::bigint
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as w(user_id bigint, message_id bigint),
    lateral (
      select 'devices' as target, null::bigint as browser_id where ${hasRelay} and ${hasDevice(sql)}
      union all select 'tokens', null where ${hasRelay} and ${hasToken(sql)}
      union all select 'browser', b.id from push_browsers b where b.user_id = w.user_id) t`;
}

const hasDevice = (sql: Sql) => sql`
  exists (select from devices d where d.user_id = w.user_id and d.push_key is not null
    and d.push_token_id is not null and d.encrypted_push_registration is not null)`;
const hasToken = (sql: Sql) => sql`exists (select from push_tokens k where k.user_id = w.user_id)`;

/**
 * Takes what has been due for longest, for `leaseSecs`: what is not settled by then is taken again. Two nodes that both
 * think that they write a realm take different ones.
 */
export async function claimDuePushes(
  sql: Sql,
  realmId: RealmId,
  { now, limit, leaseSecs }: { now: number; limit: number; leaseSecs: number },
): Promise<PushRow[]> {
  return sql<PushRow[]>`
    with due as (
      select id from push_notifications where realm_id = ${realmId} and next_attempt_at <= ${now}
      order by next_attempt_at, id limit ${limit} for update skip locked),
    claimed as (
      update push_notifications p set attempts = p.attempts + 1, next_attempt_at = ${now + leaseSecs}::bigint
      from due where p.id = due.id returning p.*)
    select c.id, c.user_id, c.notification_id, c.target, c.browser_id, c.message_id, c.removed_ids, c.attempts,
      c.expires_at, case when m.id is null then null else json_build_object(
        'user_id', c.user_id, 'id', m.id, 'recipient_id', m.recipient_id, 'channel_id', m.channel_id,
        'sender_id', m.sender_id, 'topic', m.topic, 'sent_at', m.sent_at, 'channel_wildcard', m.channel_wildcard,
        'mentioned', m.mentioned, 'topic_participants', m.topic_participants, 'alerted', m.alerted,
        'participants', d.user_ids, 'content', m.content, 'rendered_content', m.rendered_content,
        'received', exists (select from received g
          where g.user_id = c.user_id and g.recipient_id = m.recipient_id and g.ids @> m.id)) end as message
    from claimed c left join messages m on m.realm_id = c.realm_id and m.id = c.message_id and not exists (
      select from read_states r
      where r.user_id = c.user_id and r.recipient_id = m.recipient_id and ${isRead(sql)})
    left join direct_conversations d on m.channel_id is null and d.recipient_id = m.recipient_id
    order by c.id`;
}

export async function deletePush(sql: Sql, id: PushId): Promise<void> {
  await sql`delete from push_notifications where id = ${id}`;
}

export async function postponePush(sql: Sql, id: PushId, at: number): Promise<void> {
  await sql`update push_notifications set next_attempt_at = ${at} where id = ${id}`;
}

/** The relay is away: nothing of a realm goes to it before `at`. */
export async function postponeRelayed(sql: Sql, realmId: RealmId, at: number): Promise<void> {
  await sql`
    update push_notifications set next_attempt_at = ${at}
    where realm_id = ${realmId} and next_attempt_at < ${at} and target <> 'browser'`;
}

/** Realms with notifications to be sent now. */
export async function findRealmsWithPushes(sql: Sql, now: number): Promise<RealmId[]> {
  const rows = await sql<{ realm_id: RealmId }[]>`
    select distinct realm_id from push_notifications where next_attempt_at <= ${now}`;
  return rows.map((row) => row.realm_id);
}

/**
 * When there will be such a realm; 0: it may be soon, as somebody has to decide about messages first. Null: there is
 * nothing to send.
 */
export async function findNextPush(sql: Sql, since: number, firstSince: number): Promise<number | null> {
  const rows = await sql<{ next: number | null }[]>`
    select case when exists (${unseen(sql, since, firstSince)}) then 0
      else (select min(next_attempt_at) from push_notifications) end as next`;
  return onlyRow(rows).next;
}

/** Of a message that somebody's phones have been given. */
export async function noteShown(sql: Sql, realmId: RealmId, row: WantedPush, now: number): Promise<void> {
  await sql`
    insert into shown_notifications (user_id, message_id, realm_id, shown_at)
    values (${row.user_id}, ${row.message_id}, ${realmId}, ${now}) on conflict do nothing`;
}

/** How many messages somebody's phones show. */
export async function countShown(sql: Sql, userId: UserId, except?: MessageId): Promise<number> {
  const rows = await sql<{ count: number }[]>`
    select count(*)::int as count from shown_notifications
    where user_id = ${userId} and message_id <> ${except ?? 0}`;
  return onlyRow(rows).count;
}

export async function deleteOldShown(sql: Sql, realmId: RealmId, before: number): Promise<void> {
  await sql`delete from shown_notifications where realm_id = ${realmId} and shown_at < ${before}`;
}

/**
 * What phones show and should not any more, as it was read, is gone, or may not be seen. It is told of some people and
 * messages, or of a whole realm.
 */
export async function findStale(
  sql: Sql,
  realmId: RealmId,
  about: { userIds: readonly UserId[]; messageIds: readonly MessageId[] } | "everything",
): Promise<WantedPush[]> {
  const which =
    about === "everything"
      ? sql`true`
      : sql`(n.user_id in (select unnest(${idArray(about.userIds)}::text::bigint[]))
          or n.message_id in (select unnest(${idArray(about.messageIds)}::text::bigint[])))`;
  return sql<WantedPush[]>`
    select n.user_id, n.message_id
    from shown_notifications n left join messages m on m.realm_id = n.realm_id and m.id = n.message_id
    where n.realm_id = ${realmId} and ${which} and (
      m.id is null
      or exists (
        select from read_states r
        where r.user_id = n.user_id and r.recipient_id = m.recipient_id and ${isRead(sql)})
      or m.channel_id is not null and not exists (
        select from subscriptions s where s.user_id = n.user_id and s.channel_id = m.channel_id and s.is_active))
    order by n.user_id, n.message_id`;
}

/** Has somebody's phones take messages away that they show: those that nobody else takes away at the same time. */
export async function removeShown(
  sql: Sql,
  realmId: RealmId,
  userId: UserId,
  messageIds: readonly MessageId[],
  { now, expiresAt }: PushTimes,
): Promise<void> {
  await sql`
    with gone as (
      delete from shown_notifications
      where user_id = ${userId} and message_id in (select unnest(${idArray(messageIds)}::text::bigint[]))
      returning message_id),
    wanted as (
      select ${userId}::bigint as user_id, array_agg(message_id order by message_id) as ids from gone
      having count(*) > 0)
    insert into push_notifications (realm_id, user_id, target, removed_ids, next_attempt_at, expires_at)
    select ${realmId}::int, w.user_id, t.target, w.ids, ${now}::bigint, ${expiresAt}::bigint
    from wanted w, lateral (
      select 'devices' as target where ${hasDevice(sql)}
      union all select 'tokens' where ${hasToken(sql)}) t`;
}
