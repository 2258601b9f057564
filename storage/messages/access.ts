/** Messages with the columns that decide whether a person may read them. */

import type { MessageId, RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";
import { type StoredMessage, storedMessageColumns } from "./messages.ts";

/** A message with the facts that decide about a reader's access. */
export interface MessageAccess extends StoredMessage {
  /** Everyone in the direct conversation, ascending; null in a channel. */
  participants: UserId[] | null;
  /** Whether the person received it. In a channel: whether they were subscribed when it was sent. */
  received: boolean;
}

/** The messages among `ids` that exist in the realm, by ascending id. Access is not checked. */
export async function findMessageAccess(
  sql: Sql,
  realmId: RealmId,
  userId: UserId | null,
  ids: readonly MessageId[],
): Promise<MessageAccess[]> {
  if (ids.length === 0) return [];
  // Unsafe: a part of the text is shared with other statements.
  return sql.unsafe<MessageAccess[]>(
    `select ${storedMessageColumns}, d.user_ids as participants, coalesce(r.ids @> m.id, false) as received
     from messages m
     left join direct_conversations d on m.channel_id is null and d.recipient_id = m.recipient_id
     left join received r on m.channel_id is not null and r.user_id = $2 and r.recipient_id = m.recipient_id
     where m.realm_id = $1 and m.id in (select unnest($3::text::bigint[])) order by m.id`,
    [realmId, userId, `{${ids.join(",")}}`],
    { prepare: true },
  );
}
