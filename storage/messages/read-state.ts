/**
 * What people have read: one set of message ids (`int8multirange`) per person and conversation. `read-segments.ts` has
 * how it is stored when it has many ranges.
 *
 * Reading a message adds the gap around it: from after the conversation's previous message to before its next one. Ids
 * in the gap belong to other conversations, so they mean nothing here. Messages read one after the other make one
 * range, so a set has as many ranges as there are unread islands.
 */
import type { MessageId, RealmId, RecipientId, UserId } from "../ids.ts";
import type { Sql, Statement } from "../postgres.ts";
import { idArray } from "./id-literals.ts";
import { allRead, hasRead, readWithin } from "./read-segments.ts";

/** Marks messages read by a person, in any conversations. Ids that do not exist are ignored. */
export async function markRead(sql: Sql, realmId: RealmId, userId: UserId, ids: readonly MessageId[]): Promise<void> {
  if (ids.length === 0) return;
  // Unsafe: one value stands in several places, and is sent once.
  await sql.unsafe(
    `with gaps as (
       select m.recipient_id, range_agg(int8range(
         coalesce((select p.id from messages p where p.recipient_id = m.recipient_id and p.id < m.id order by p.id desc limit 1), 0) + 1,
         coalesce((select n.id from messages n where n.recipient_id = m.recipient_id and n.id > m.id order by n.id limit 1), m.id + 1))) as ids
       from messages m where m.realm_id = $1 and m.id in (select unnest($3::text::bigint[])) group by m.recipient_id)
     insert into read_states (user_id, recipient_id, realm_id, ids) select $2::bigint, recipient_id, $1, ids from gaps
     on conflict (user_id, recipient_id) do update set ids = read_states.ids + excluded.ids`,
    [realmId, userId, idArray(ids)],
    { prepare: true },
  );
}

/**
 * Marks everything that a person received up to an id as read: in one channel, or in all channels and direct
 * conversations.
 *
 * @param upTo the realm's newest message; later ones stay unread
 */
export async function markAllRead(
  sql: Sql,
  realmId: RealmId,
  userId: UserId,
  upTo: MessageId,
  recipientId?: RecipientId,
): Promise<void> {
  // Unsafe: one value stands in several places, and is sent once.
  await sql.unsafe(
    `with c as materialized (
       select r.recipient_id from received r where r.user_id = $2 and ($4::bigint is null or r.recipient_id = $4)
       union all select d.recipient_id from direct_conversation_members d where d.user_id = $2 and ($4::bigint is null or d.recipient_id = $4)),
     covered as (
       delete from read_segments g using c
       where g.user_id = $2 and g.recipient_id = c.recipient_id and g.ids <@ int8range(1, $3::bigint, '[]'))
     insert into read_states (user_id, recipient_id, realm_id, ids)
     select $2, c.recipient_id, $1, int8multirange(int8range(1, $3::bigint, '[]')) from c
     on conflict (user_id, recipient_id) do update set ids = read_states.ids + excluded.ids
       where not read_states.ids @> int8range(1, $3::bigint, '[]')`,
    [realmId, userId, Math.max(upTo, 1), recipientId ?? null],
    { prepare: true },
  );
}

/** Of so few people each is told what they had unread, and of more those who had about as much together. */
const eachAlone = 50;

/**
 * What people received in channels and have not read, ascending, the newest `limit` of each list. Where they are many,
 * those whose oldest unread message is about as old share a list of what any of them has not read. Else there would be
 * people times messages of it.
 *
 * @param upTo the realm's newest message
 */
export async function findUnreadOf(
  sql: Sql,
  pairs: readonly { user_id: UserId; recipient_id: RecipientId }[],
  upTo: MessageId,
  limit: number,
): Promise<{ user_ids: UserId[]; recipient_id: RecipientId; ids: MessageId[] }[]> {
  if (pairs.length === 0) return [];
  // Unsafe: one value stands in several places, and is sent once.
  return sql.unsafe(
    `with open as materialized (
       select r.user_id, r.recipient_id,
         r.ids * int8multirange(int8range(1, greatest($2::bigint, 1), '[]')) - coalesce(${allRead("s")}, '{}') as ids
       from json_to_recordset($1::text::json) as p(user_id bigint, recipient_id bigint)
       join received r on r.user_id = p.user_id and r.recipient_id = p.recipient_id
       left join read_states s on s.user_id = p.user_id and s.recipient_id = p.recipient_id),
     begun as materialized (
       select o.*, f.id as first from open o cross join lateral (
         select m.id from unnest(o.ids) as part cross join lateral (
           select m.id from messages m
           where m.recipient_id = o.recipient_id and m.id >= lower(part) and m.id < upper(part)
             and not (m.sender_id = o.user_id and m.read_by_sender)
           order by m.id limit 1) m
         limit 1) f),
     alike as materialized (
       select recipient_id, array_agg(user_id order by user_id) as user_ids, range_agg(part) as ids
       from begun cross join unnest(ids) as part
       group by recipient_id, case when $3 then user_id else floor(log(2, $2::bigint - first + 1)) end)
     select recipient_id, (select array_agg(distinct id order by id) from unnest(user_ids) as u(id)) as user_ids, (
       select array_agg(id order by id) from (
         select m.id from unnest(ids) as part cross join lateral (
           select m.id from messages m
           where m.recipient_id = alike.recipient_id and m.id >= lower(part) and m.id < upper(part)
             and not (m.read_by_sender and m.sender_id = all(user_ids))
           order by m.id desc limit $4) m
         order by m.id desc limit $4) t) as ids
     from alike`,
    [JSON.stringify(pairs), upTo, pairs.length <= eachAlone, limit],
    { prepare: true },
  );
}

/**
 * Which of a channel's messages people received and have not read. People with the same unread messages are grouped;
 * ids ascend. People who have read all are left out.
 *
 * @param ids of messages of the channel
 */
export async function findUnreadAmong(
  sql: Sql,
  recipientId: RecipientId,
  userIds: readonly UserId[],
  ids: readonly MessageId[],
): Promise<{ user_ids: UserId[]; ids: MessageId[] }[]> {
  if (userIds.length === 0) return [];
  // Unsafe: one value stands in several places, and is sent once.
  return sql.unsafe(
    `with these as materialized (
       select ids, int8multirange(range_merge(ids)) as span from (
         select range_agg(int8range(id, id, '[]')) as ids from unnest($3::text::bigint[]) as t(id)) t),
     own as materialized (
       select sender_id as user_id, range_agg(int8range(id, id, '[]')) as ids from messages
       where id in (select unnest($3::text::bigint[])) and read_by_sender group by sender_id),
     people as (
       select array_agg(u.user_id) as user_ids, r.ids * these.span as received,
         coalesce(${readWithin("s", "these.span")}, '{}') as read, coalesce(own.ids, '{}') as own
       from these cross join unnest($2::text::bigint[]) as u(user_id)
       join received r on r.user_id = u.user_id and r.recipient_id = $1
       left join read_states s on s.user_id = u.user_id and s.recipient_id = $1
       left join own on own.user_id = u.user_id group by 2, 3, 4),
     open as (
       select user_ids, these.ids * received - read - own as ids from people cross join these),
     alike as (
       select array_agg(user_id order by user_id) as user_ids, ids from open, unnest(user_ids) as user_id
       where not isempty(ids) group by ids)
     select user_ids, (
       select array_agg(id order by id) from unnest($3::text::bigint[]) as t(id) where alike.ids @> id) as ids
     from alike`,
    [recipientId, idArray(userIds), idArray(ids)],
    { prepare: true },
  );
}

/** Marks everything up to an id read, by people in channels. */
export async function markPairsRead(
  sql: Sql,
  realmId: RealmId,
  pairs: readonly { user_id: UserId; recipient_id: RecipientId }[],
  upTo: MessageId,
): Promise<void> {
  const alone = pairs.map(({ user_id, recipient_id }) => ({ user_id, recipient_id }));
  await sql`
    with p as materialized (
      select user_id, recipient_id, int8range(1, ${Math.max(upTo, 1)}::bigint, '[]') as ids
      from json_to_recordset(${JSON.stringify(alone)}::text::json) as p(user_id bigint, recipient_id bigint)),
    covered as (
      delete from read_segments g using p where g.user_id = p.user_id and g.recipient_id = p.recipient_id and g.ids <@ p.ids)
    insert into read_states (user_id, recipient_id, realm_id, ids)
    select user_id, recipient_id, ${realmId}, int8multirange(ids) from p
    on conflict (user_id, recipient_id) do update set ids = read_states.ids + excluded.ids`;
}

/** Marks messages of channels as received by a person who was not subscribed when they were sent. */
export async function addReceived(
  sql: Sql,
  realmId: RealmId,
  userId: UserId,
  ids: readonly MessageId[],
): Promise<void> {
  if (ids.length === 0) return;
  // Unsafe: one value stands in several places, and is sent once.
  await sql.unsafe(
    `insert into received (user_id, recipient_id, realm_id, ids)
     select $2::bigint, m.recipient_id, $1, range_agg(int8range(m.id, m.id, '[]')) from messages m
     where m.realm_id = $1 and m.id in (select unnest($3::text::bigint[])) and m.channel_id is not null group by m.recipient_id
     on conflict (user_id, recipient_id) do update set ids = received.ids + excluded.ids`,
    [realmId, userId, idArray(ids)],
    { prepare: true },
  );
}

/** Marks one new message read by people who receive it. @param userIds each once */
export function markReadBy(
  sql: Sql,
  realmId: RealmId,
  userIds: readonly UserId[],
  message: { id: MessageId; recipient_id: RecipientId },
): Statement {
  // Unsafe: one value stands in several places, and is sent once.
  return sql.unsafe(
    `with gap as (select int8multirange(int8range(coalesce(
         (select p.id from messages p where p.recipient_id = $3 and p.id < $4 order by p.id desc limit 1), 0) + 1, $4::bigint + 1)) as ids)
     insert into read_states (user_id, recipient_id, realm_id, ids)
     select u.id, $3, $1, gap.ids from gap, unnest($2::text::bigint[]) as u(id)
     on conflict (user_id, recipient_id) do update set ids = read_states.ids + excluded.ids`,
    [realmId, idArray(userIds), message.recipient_id, message.id],
    { prepare: true },
  );
}

/** Takes messages out of what a person has read. */
export async function markUnread(sql: Sql, realmId: RealmId, userId: UserId, ids: readonly MessageId[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update read_states r set ids = r.ids - gone.ids
    from (select m.recipient_id, range_agg(int8range(m.id, m.id, '[]')) as ids from messages m
          where m.realm_id = ${realmId} and m.id in (select unnest(${idArray(ids)}::text::bigint[]))
          group by m.recipient_id) gone
    where r.user_id = ${userId} and r.recipient_id = gone.recipient_id`;
  // The row of the statement before is locked, so nothing goes from there into a segment meanwhile.
  await sql`
    update read_segments g set ids = g.ids - gone.ids
    from (select m.recipient_id, at.first, range_agg(int8range(m.id, m.id, '[]')) as ids from messages m
          join read_states r on r.user_id = ${userId} and r.recipient_id = m.recipient_id and r.has_segments
          cross join lateral (
            select g.first from read_segments g
            where g.user_id = ${userId} and g.recipient_id = m.recipient_id and g.first <= m.id
            order by g.first desc limit 1) at
          where m.realm_id = ${realmId} and m.id in (select unnest(${idArray(ids)}::text::bigint[]))
          group by m.recipient_id, at.first) gone
    where g.user_id = ${userId} and g.recipient_id = gone.recipient_id and g.first = gone.first`;
  await sql`
    update messages set read_by_sender = false
    where realm_id = ${realmId} and id in (select unnest(${idArray(ids)}::text::bigint[]))
      and sender_id = ${userId} and read_by_sender`;
}

/** Users who received a message and have it among what they have read, ascending. */
export async function findReaders(sql: Sql, message: { id: MessageId; recipient_id: RecipientId }): Promise<UserId[]> {
  // Unsafe: one value stands in several places, and is sent once.
  const rows = await sql.unsafe<{ user_id: UserId }[]>(
    `select s.user_id from read_states s
     where s.recipient_id = $1 and ${hasRead("s", "$2::bigint")} and (
       exists (select from received r where r.user_id = s.user_id and r.recipient_id = $1 and r.ids @> $2::bigint)
       or exists (select from direct_conversation_members d where d.user_id = s.user_id and d.recipient_id = $1))
     order by s.user_id`,
    [message.recipient_id, message.id],
    { prepare: true },
  );
  return rows.map((row) => row.user_id);
}

/** Begins to count what users receive in channels: messages after `afterId`. */
export async function beginReceiving(
  sql: Sql,
  realmId: RealmId,
  pairs: readonly { user_id: UserId; recipient_id: RecipientId }[],
  afterId: MessageId,
): Promise<void> {
  if (pairs.length === 0) return;
  await sql`
    insert into received (user_id, recipient_id, realm_id, ids)
    select user_id, recipient_id, ${realmId}, int8multirange(int8range(${afterId}::bigint + 1, null))
    from json_to_recordset(${JSON.stringify(pairs)}::text::json) as r(user_id bigint, recipient_id bigint)
    on conflict (user_id, recipient_id) do update set ids = received.ids + excluded.ids`;
}

/** Ends it: messages up to `lastId` were still received. */
export async function endReceiving(
  sql: Sql,
  pairs: readonly { user_id: UserId; recipient_id: RecipientId }[],
  lastId: MessageId,
): Promise<void> {
  if (pairs.length === 0) return;
  await sql`
    update received t set ids = t.ids - int8multirange(int8range(${lastId}::bigint + 1, null))
    from json_to_recordset(${JSON.stringify(pairs)}::text::json) as r(user_id bigint, recipient_id bigint)
    where t.user_id = r.user_id and t.recipient_id = r.recipient_id`;
}
