/** Marking messages read by many people at once: the facts about each, and one statement that commits all. */
import { onlyRow } from "../failures.ts";
import type { ChannelId, MessageId, RealmId, RecipientId, UserId } from "../ids.ts";
import { type Database, type Sql, translate } from "../postgres.ts";
import {
  checkFence,
  fenceParameters,
  fenceSelect,
  type LogRow,
  logJson,
  markOf,
  type WriterTerm,
} from "../realm-log.ts";
import { hasRead } from "./read-segments.ts";

/** A message that a person marks as read. */
export interface ReadingPair {
  user_id: UserId;
  message_id: MessageId;
}

/** The facts about such a message that marking it read needs. */
export interface ReadingState extends ReadingPair {
  recipient_id: RecipientId;
  channel_id: ChannelId | null;
  /** Everyone in the direct conversation, ascending; null in a channel. */
  participants: number[] | null;
  received: boolean;
  is_read: boolean;
  /** The gap around it: from after the conversation's message before it to before the one after it. */
  first: number;
  end: number;
}

const pairsOf = "unnest($2::text::bigint[], $3::text::bigint[]) as p(user_id, message_id)";

/** The facts about those of these pairs whose messages exist. */
export function findReadingStates(sql: Sql, realmId: RealmId, pairs: readonly ReadingPair[]): Promise<ReadingState[]> {
  // Unsafe: the statement is a constant that is put together once.
  return sql.unsafe<ReadingState[]>(
    `select p.user_id, p.message_id, m.recipient_id, m.channel_id, c.user_ids as participants,
       case when m.channel_id is null then coalesce(p.user_id = any(c.user_ids), false) else coalesce(r.ids @> m.id, false) end as received,
       (m.sender_id = p.user_id and m.read_by_sender) or coalesce(${hasRead("s", "m.id")}, false) as is_read,
       coalesce((select b.id from messages b where b.recipient_id = m.recipient_id and b.id < m.id order by b.id desc limit 1), 0) + 1 as first,
       coalesce((select n.id from messages n where n.recipient_id = m.recipient_id and n.id > m.id order by n.id limit 1), m.id + 1) as end
     from ${pairsOf}
     join messages m on m.realm_id = $1 and m.id = p.message_id
     left join direct_conversations c on m.channel_id is null and c.recipient_id = m.recipient_id
     left join received r on m.channel_id is not null and r.user_id = p.user_id and r.recipient_id = m.recipient_id
     left join read_states s on s.user_id = p.user_id and s.recipient_id = m.recipient_id
     order by p.message_id`,
    [realmId, arrayOf(pairs, "user_id"), arrayOf(pairs, "message_id")],
    { prepare: true },
  );
}

const statement = `
  with fence as (${fenceSelect}),
  read as (
    insert into read_states (user_id, recipient_id, realm_id, ids)
    select p.user_id, p.recipient_id, min(fence.id), range_agg(int8range(p.first, p."end"))
    from fence, unnest($5::text::bigint[], $6::text::bigint[], $7::text::bigint[], $8::text::bigint[]) as p(user_id, recipient_id, first, "end")
    group by p.user_id, p.recipient_id
    on conflict (user_id, recipient_id) do update set ids = read_states.ids + excluded.ids),
  logged as (
    insert into realm_log (realm_id, position, logged_at, entry)
    select fence.id, r.position, $10::bigint, r.entry from fence, json_to_recordset($9::text::json) as r(position bigint, entry json))
  select count(*)::int as fences from fence`;

/** Commits that people have read messages, with the log. @throws WriterFenced */
export async function commitRead(
  database: Database,
  term: WriterTerm,
  read: readonly ReadingState[],
  entries: readonly LogRow[],
  now: number,
): Promise<void> {
  let rows: { fences: number }[];
  try {
    // Unsafe: the statement is a constant that is put together once.
    rows = await database.sql.unsafe(
      markOf(term) + statement,
      [
        ...fenceParameters(term),
        arrayOf(read, "user_id"),
        arrayOf(read, "recipient_id"),
        arrayOf(read, "first"),
        arrayOf(read, "end"),
        logJson(entries),
        now,
      ],
      { prepare: true },
    );
  } catch (error) {
    throw translate(error);
  }
  checkFence(onlyRow(rows).fences, term);
}

const arrayOf = <Column extends string>(rows: readonly Record<Column, number>[], column: Column): string =>
  `{${rows.map((row) => row[column]).join(",")}}`;
