/** Reads and writes one person's flags on messages. `read-state.ts` has what they have read. */
import type { ChannelId, MessageId, RealmId, RecipientId, UserId } from "../ids.ts";
import type { Sql, Statement } from "../postgres.ts";
import { hasRead } from "./read-segments.ts";

/** The facts about a message that changing a person's flags needs. */
export interface FlagState {
  id: MessageId;
  recipient_id: RecipientId;
  channel_id: ChannelId | null;
  sender_id: UserId;
  topic: string;
  /** Everyone in the direct conversation, ascending; null in a channel. */
  participants: UserId[] | null;
  received: boolean;
  /** Whether the person has read it. False for a message that they never received. */
  is_read: boolean;
  starred: boolean;
  collapsed: boolean;
  /** By name, group or wildcard. */
  mentioned: boolean;
}

/** The flags of a person on those of these messages that exist, by ascending id. */
export async function findFlagStates(
  sql: Sql,
  realmId: RealmId,
  userId: UserId,
  ids: readonly MessageId[],
): Promise<FlagState[]> {
  if (ids.length === 0) return [];
  // Unsafe: one value stands in several places, and is sent once.
  return sql.unsafe<FlagState[]>(
    `select m.id, m.recipient_id, m.channel_id, m.sender_id, m.topic, c.user_ids as participants,
       case when m.channel_id is null then coalesce($2 = any(c.user_ids), false) else coalesce(r.ids @> m.id, false) end as received,
       (m.sender_id = $2 and m.read_by_sender) or coalesce(${hasRead("s", "m.id")}, false) as is_read,
       coalesce(f.starred, false) as starred, coalesce(f.collapsed, false) as collapsed,
       coalesce($2 = any(m.mentioned), false) or coalesce($2 = any(m.topic_participants), false) or m.channel_wildcard as mentioned
     from messages m
     left join direct_conversations c on m.channel_id is null and c.recipient_id = m.recipient_id
     left join received r on m.channel_id is not null and r.user_id = $2 and r.recipient_id = m.recipient_id
     left join read_states s on s.user_id = $2 and s.recipient_id = m.recipient_id
     left join message_flags f on f.user_id = $2 and f.message_id = m.id
     where m.realm_id = $1 and m.id in (select unnest($3::text::bigint[])) order by m.id`,
    [realmId, userId, `{${ids.join(",")}}`],
    { prepare: true },
  );
}

/** Sets a rare flag. @param historical those among them that the person never received */
export function setFlag(
  sql: Sql,
  realmId: RealmId,
  userId: UserId,
  flag: "starred" | "collapsed",
  ids: readonly MessageId[],
  historical: readonly MessageId[],
): Statement {
  // Unsafe: one value stands in several places, and is sent once.
  return sql.unsafe(
    `insert into message_flags (user_id, message_id, realm_id, starred, collapsed, historical)
     select $1, id, $2, $3, not $3, id in (select unnest($5::text::bigint[])) from unnest($4::text::bigint[]) as id
     on conflict (user_id, message_id) do update set
       starred = message_flags.starred or excluded.starred, collapsed = message_flags.collapsed or excluded.collapsed`,
    [userId, realmId, flag === "starred", `{${ids.join(",")}}`, `{${historical.join(",")}}`],
    { prepare: true },
  );
}

/** Removes a rare flag. */
export function clearFlag(
  sql: Sql,
  userId: UserId,
  flag: "starred" | "collapsed",
  ids: readonly MessageId[],
): Statement {
  // Unsafe: one value stands in several places, and is sent once.
  return sql.unsafe(
    `update message_flags set starred = starred and not $3, collapsed = collapsed and $3
     where user_id = $1 and message_id in (select unnest($2::text::bigint[]))`,
    [userId, `{${ids.join(",")}}`, flag === "starred"],
    { prepare: true },
  );
}
