/** What people have not read, written straight into the tables while Parley is not running. */
import type postgres from "postgres";
import type { Member } from "./community.ts";

/**
 * Of what is unread every so many messages are followed by one that was read: people do not read from top to bottom.
 */
const readEvery = 8;

/**
 * Leaves the newest `count` messages that each member received in channels unread, but for single ones among them that
 * were read; everything before is read. Whoever received fewer has all of them unread.
 */
export async function leaveUnread(sql: postgres.Sql, members: readonly Member[], count: number): Promise<void> {
  const ids = members.map((member) => String(member.userId));
  // Members who are in the same channels have received the same: it is found once for all of them.
  await sql`
    with people as (
      select user_id, array_agg(recipient_id order by recipient_id) as recipient_ids from received
      where user_id in (select unnest(${ids}::bigint[])) group by user_id),
    alike as (select distinct recipient_ids from people),
    newest as (
      select a.recipient_ids, m.recipient_id, m.id, row_number() over (partition by a.recipient_ids order by m.id desc) as place
      from alike a cross join lateral (
        select m.id, m.recipient_id from messages m where m.recipient_id = any(a.recipient_ids)
        order by m.id desc limit ${count + 1}) m),
    edges as (select recipient_ids, coalesce(min(id) filter (where place = ${count + 1}), 0) as last_read from newest group by recipient_ids),
    states as (
      select e.recipient_ids, r.recipient_id,
        int8multirange(int8range(1, e.last_read + 1)) + coalesce((
          select range_agg(int8range(n.id, n.id, '[]')) from newest n
          where n.recipient_ids = e.recipient_ids and n.recipient_id = r.recipient_id
            and n.place <= ${count} and n.place % ${readEvery} = 0), '{}') as ids
      from edges e cross join lateral unnest(e.recipient_ids) as r(recipient_id))
    insert into read_states (user_id, recipient_id, realm_id, ids)
    select p.user_id, s.recipient_id, (select realm_id from users where id = p.user_id), s.ids
    from people p join states s using (recipient_ids)
    on conflict (user_id, recipient_id) do update set ids = excluded.ids`;
}
