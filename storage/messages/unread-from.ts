import type { MessageId, RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";
import { hasRead } from "./read-segments.ts";

/**
 * Messages of one sender that a person received and has not read, ascending; of the sender's newest `limit`.
 * Their other messages are not looked at.
 */
export async function findUnreadFrom(
  sql: Sql,
  realmId: RealmId,
  userId: UserId,
  senderId: UserId,
  limit: number,
): Promise<MessageId[]> {
  // Unsafe: one value stands in several places, and is sent once.
  const rows = await sql.unsafe<{ id: MessageId }[]>(
    `select m.id
     from (select id, recipient_id from messages where realm_id = $1 and sender_id = $3 order by id desc limit $4) m
     left join received r on r.user_id = $2 and r.recipient_id = m.recipient_id
     left join direct_conversation_members d on d.user_id = $2 and d.recipient_id = m.recipient_id
     left join read_states s on s.user_id = $2 and s.recipient_id = m.recipient_id
     where (d.user_id is not null or r.ids @> m.id::bigint) and not coalesce(${hasRead("s", "m.id")}, false)
     order by m.id`,
    [realmId, userId, senderId, limit],
  );
  return rows.map(({ id }) => id);
}
