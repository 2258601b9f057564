/**
 * Who received messages and who has read them, when they go from one channel to another.
 *
 * In a large channel that is a row for each person, so people who are alike are worked out once. Of each set only the
 * span of the ids that move is looked at, and there most people have the same.
 */

import type { MessageId, RealmId, RecipientId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";
import { idArray, multirange } from "./id-literals.ts";
import { readWithin } from "./read-segments.ts";

/** Users who received at least one of these messages in a conversation, ascending. @param ids ascending */
export async function receiversOf(sql: Sql, recipientId: RecipientId, ids: readonly MessageId[]): Promise<UserId[]> {
  const rows = await sql<{ user_id: UserId }[]>`
    with these as materialized (
      select ids, int8multirange(range_merge(ids)) as span from (select ${multirange(ids)}::text::int8multirange as ids) t),
    clipped as materialized (
      select r.user_id, r.ids * these.span as ids from received r, these where r.recipient_id = ${recipientId}),
    touched as materialized (
      select c.ids from (select distinct ids from clipped) c, these where c.ids && these.ids)
    select user_id from clipped join touched using (ids) order by user_id`;
  return rows.map((row) => row.user_id);
}

export interface Keepers {
  /** People who received the messages in the old channel and can read the new one. */
  keepers: readonly number[];
  /** Those of them for whom all of it is read from now on. */
  readers: readonly number[];
}

/**
 * Carries over who received messages and who has read them. Afterwards the `keepers` have received them. When the new
 * channel's history is protected, so have all of its subscribers, who could not read them otherwise. They are unread
 * for those for whom they were, and read for everyone else. The ranges of the new channel, and the gaps that
 * `read-state.ts` marks, may have covered their ids by accident: they are put right.
 *
 * As there, the gap that follows a message in the new channel goes with it. So messages which come to stand one after
 * the other make one range, however far apart their ids are.
 *
 * @param ids ascending
 */
export async function carryReadState(
  sql: Sql,
  realmId: RealmId,
  from: number,
  to: { recipientId: RecipientId; isProtected: boolean },
  ids: readonly MessageId[],
  { keepers, readers }: Keepers,
): Promise<void> {
  // Unsafe: one value stands in several places, and is sent once.
  await sql.unsafe(
    `with moved as materialized (
       select ids, int8multirange(range_merge(ids)) as span from (
         select range_agg(int8range(m.id, coalesce((
           select n.id from messages n where n.recipient_id = $3 and n.id > m.id order by n.id limit 1), m.id + 1))) as ids
         from unnest($5::text::bigint[]) as m(id)) m),
     people as materialized (
       select user_id, coalesce(f.ids * span, '{}') as received, coalesce(${readWithin("fs", "span")}, '{}') as read,
         coalesce(t.ids * span, '{}') as there, coalesce(${readWithin("ts", "span")}, '{}') as read_there,
         k.user_id is not null as keeps, l.user_id is not null as reads_all,
         coalesce($4::boolean and upper_inf(t.ids), false) as is_given
       from (select user_id, ids from received where recipient_id = $2) f
       full join (select user_id, ids from received where recipient_id = $3) t using (user_id)
       left join (select * from read_states where recipient_id = $2) fs using (user_id)
       left join (select * from read_states where recipient_id = $3) ts using (user_id)
       left join unnest($6::text::bigint[]) as k(user_id) using (user_id)
       left join unnest($7::text::bigint[]) as l(user_id) using (user_id)
       cross join moved),
     alike as materialized (
       select distinct received, read, there, read_there, keeps, reads_all, is_given from people),
     later as materialized (
       select a.*, t.there_later, case when isempty(t.there_later * m.ids) then a.read_there
         else (a.read_there - m.ids) + (case when a.reads_all then m.ids else m.ids - (m.ids * a.received - a.read) end)
         end as read_later
       from alike a cross join moved m cross join lateral (
         select (a.there - m.ids)
           + case when a.is_given then m.ids when a.keeps then a.received * m.ids else '{}' end as there_later) t),
     changed as materialized (
       select user_id, there, there_later, read_there, read_later from people
       join later using (received, read, there, read_there, keeps, reads_all, is_given)
       where there <> there_later or read_there <> read_later),
     put_received as (
       insert into received (user_id, recipient_id, realm_id, ids)
       select user_id, $3, $1, there_later from changed where there <> there_later
       on conflict (user_id, recipient_id) do update
         set ids = (received.ids - (select span from moved)) + excluded.ids),
     cleared as (
       update read_segments g set ids = g.ids - (select span from moved) from changed c
       where c.read_there <> c.read_later and g.user_id = c.user_id and g.recipient_id = $3
         and g.first < (select upper(span) from moved) and g.ids && (select span from moved))
     insert into read_states (user_id, recipient_id, realm_id, ids)
     select user_id, $3, $1, read_later from changed where read_there <> read_later
     on conflict (user_id, recipient_id) do update
       set ids = (read_states.ids - (select span from moved)) + excluded.ids`,
    [realmId, from, to.recipientId, to.isProtected, idArray(ids), idArray(keepers), idArray(readers)],
  );
}
