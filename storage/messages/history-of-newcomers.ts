import type { RealmId, RecipientId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

/** The messages that a new person finds: so many of the newest since a time (UNIX seconds), and how many are unread. */
export interface RecentHistory {
  since: number;
  messages: number;
  unread: number;
}

/** Makes the newest messages of channels received by somebody who has read nothing there, all but the last few read. */
export async function addRecentHistory(
  sql: Sql,
  realmId: RealmId,
  userId: UserId,
  recipientIds: readonly RecipientId[],
  { since, messages, unread }: RecentHistory,
): Promise<void> {
  // Unsafe: one value stands in several places, and is sent once.
  await sql.unsafe(
    `with recent as (
       select m.id, m.recipient_id from unnest($3::text::bigint[]) as c(recipient_id)
       cross join lateral (
         select id, recipient_id, sent_at from messages where recipient_id = c.recipient_id order by id desc limit $5::int) m
       where m.sent_at >= $4::bigint order by m.id desc limit $5::int),
     fresh as (select id from recent order by id desc limit $6::int),
     first as (select recipient_id, min(id) as id from recent group by recipient_id),
     got as (
       insert into received (user_id, recipient_id, realm_id, ids)
       select $2::bigint, recipient_id, $1, int8multirange(int8range(id, null)) from first
       on conflict (user_id, recipient_id) do update set ids = received.ids + excluded.ids)
     insert into read_states (user_id, recipient_id, realm_id, ids)
     select $2::bigint, recipient_id, $1, int8multirange(int8range(1, (select min(id) from fresh)))
     from first where id < (select min(id) from fresh)
     on conflict (user_id, recipient_id) do update set ids = read_states.ids + excluded.ids`,
    [realmId, userId, `{${recipientIds.join(",")}}`, since, messages, unread],
    { prepare: true },
  );
}
