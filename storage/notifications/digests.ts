/** Digests of the week: who gets one, and what of. Times are UNIX seconds. */
import type { ChannelId, MessageId, RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

/** Somebody who has been away. */
export interface AwayPerson {
  user_id: UserId;
  /** When they were last there. */
  seen_at: number;
}

/** A conversation in a channel. */
export interface BusyTopic {
  channel_id: ChannelId;
  /** As its newest message has it. */
  topic: string;
  messages: number;
  people: number;
  last_id: MessageId;
  last_at: number;
}

/** Since when nobody gets another one, and before when they were last there. */
export interface DigestTimes {
  now: number;
  awaySecs: number;
  betweenSecs: number;
}

/**
 * Organizations whose day it is and in which somebody is due. Of the others the day is noted, so that their people are
 * looked through once.
 * @param defaultWeekday what organizations have that never chose one
 */
export async function findRealmsWithDigests(
  sql: Sql,
  { now, awaySecs, betweenSecs }: DigestTimes,
  { weekday, defaultWeekday, dayStart }: { weekday: number; defaultWeekday: number; dayStart: number },
): Promise<RealmId[]> {
  const rows = await sql<{ id: RealmId }[]>`
    with today as (
      select r.id, exists (
        select from users u where u.realm_id = r.id and ${isDue(sql, { now, awaySecs, betweenSecs })}) as is_due
      from realms r
      where (r.settings ->> 'digest_emails_enabled')::boolean and not r.is_deactivated
        and coalesce((r.settings ->> 'digest_weekday')::int, ${defaultWeekday}) = ${weekday}
        and not exists (select from digest_days d where d.realm_id = r.id and d.made_at >= ${dayStart})),
    noted as (
      insert into digest_days (realm_id, made_at) select id, ${now}::bigint from today where not is_due
      on conflict (realm_id) do update set made_at = excluded.made_at)
    select id from today where is_due`;
  return rows.map(({ id }) => id);
}

const isDue = (sql: Sql, { now, awaySecs, betweenSecs }: DigestTimes) => sql`
  u.is_active and not u.is_bot and coalesce((u.settings ->> 'enable_digest_emails')::boolean, true)
  and u.date_joined < ${now - awaySecs}
  and not exists (select from presence p
    where p.user_id = u.id and greatest(p.active_at, p.idle_at, 0) >= ${now - awaySecs})
  and not exists (select from digests g where g.user_id = u.id and g.sent_at > ${now - betweenSecs})`;

/** The next of those who are due, by their ids. */
export async function findAwayPeople(
  sql: Sql,
  realmId: RealmId,
  times: DigestTimes,
  { after, limit }: { after: UserId; limit: number },
): Promise<AwayPerson[]> {
  return sql<AwayPerson[]>`
    select u.id as user_id, greatest(u.date_joined, (
      select greatest(p.active_at, p.idle_at) from presence p where p.user_id = u.id)) as seen_at
    from users u where u.realm_id = ${realmId} and u.id > ${after} and ${isDue(sql, times)}
    order by u.id limit ${limit}`;
}

/** The conversations in channels with most people since then, and most messages. */
export async function findBusyTopics(sql: Sql, realmId: RealmId, since: number, limit: number): Promise<BusyTopic[]> {
  return sql<BusyTopic[]>`
    select channel_id, (array_agg(topic order by id desc))[1] as topic, count(*)::int as messages,
      count(distinct sender_id)::int as people, max(id) as last_id, max(sent_at) as last_at
    from messages where realm_id = ${realmId} and sent_at >= ${since} and channel_id is not null
    group by channel_id, lower(topic) order by people desc, messages desc, last_id desc limit ${limit}`;
}

/** Notes who gets one, with the email in one transaction. Returns whether nobody else did so meanwhile. */
export async function noteDigest(
  sql: Sql,
  realmId: RealmId,
  userId: UserId,
  { now, betweenSecs }: DigestTimes,
): Promise<boolean> {
  const rows = await sql`
    insert into digests as d (user_id, realm_id, sent_at) values (${userId}, ${realmId}, ${now})
    on conflict (user_id) do update set sent_at = excluded.sent_at where d.sent_at <= ${now - betweenSecs} returning 1`;
  return rows.length > 0;
}

/** All of an organization's are made. */
export async function noteDigestDay(sql: Sql, realmId: RealmId, now: number): Promise<void> {
  await sql`
    insert into digest_days (realm_id, made_at) values (${realmId}, ${now})
    on conflict (realm_id) do update set made_at = excluded.made_at`;
}
