/** Moves of very many messages of a topic, which go on for many commits. */
import { onlyRow } from "../failures.ts";
import type { ChannelId, MessageId, MoveId, RealmId, RecipientId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";
import type { TopicMessage } from "./changes.ts";

/** Which messages of a topic. */
export interface TopicSpan {
  /** Only later ones than this; 0: from the first on. */
  after_id: MessageId;
  /** Only this one and earlier ones. */
  to_id: MessageId;
  /** Only what this person received: for a channel whose history they may not read. */
  received_by: UserId | null;
  /** Only those sent then or later. UNIX seconds */
  sent_since: number | null;
}

/** What was decided when the move was asked for, and how far it is. */
export interface UnfinishedMove extends TopicSpan {
  id: MoveId;
  user_id: UserId;
  /** The one that the request named. */
  message_id: MessageId;
  channel_id: ChannelId;
  topic: string;
  /** Null: the channel stays the same. */
  new_channel_id: ChannelId | null;
  new_topic: string;
  propagate_mode: "change_later" | "change_all";
  notify_old_thread: boolean;
  notify_new_thread: boolean;
  is_toggle: boolean;
  is_whole_topic: boolean;
  target_had_topic: boolean;
  /** Messages that went so far. */
  moved: number;
  /** When the last part went. UNIX seconds */
  touched_at: number;
}

interface Place {
  recipientId: RecipientId;
  topic: string;
}

const ofSpan = `from messages m
  where m.recipient_id = $1 and m.channel_id is not null and lower(m.topic) = lower($2) and m.id > $3 and m.id <= $4
    and ($5::bigint is null or exists (
      select 1 from received r where r.user_id = $5 and r.recipient_id = m.recipient_id and r.ids @> m.id))`;

const parametersOf = ({ recipientId, topic }: Place, span: TopicSpan) => [
  recipientId,
  topic,
  span.after_id,
  span.to_id,
  span.received_by,
  span.sent_since,
];

/** The oldest of them, ascending. */
export function findTopicSpan(sql: Sql, place: Place, span: TopicSpan, limit: number): Promise<TopicMessage[]> {
  // Unsafe: one value stands in several places, and is sent once.
  return sql.unsafe<TopicMessage[]>(
    `select m.id, m.sent_at, m.topic ${ofSpan} and ($6::bigint is null or m.sent_at >= $6) order by m.id limit $7`,
    [...parametersOf(place, span), limit],
    { prepare: true },
  );
}

/** How many there are whenever they were sent, and how many of them since then, from which on. */
export async function countTopicSpan(
  sql: Sql,
  place: Place,
  span: TopicSpan,
): Promise<{ total: number; allowed: number; first: MessageId | null }> {
  // Unsafe: one value stands in several places, and is sent once.
  const rows = await sql.unsafe<{ total: number; allowed: number; first: MessageId | null }[]>(
    `select count(*)::int as total, count(*) filter (where in_time)::int as allowed, min(id) filter (where in_time) as first
     from (select m.id, coalesce(m.sent_at >= $6::bigint, true) as in_time ${ofSpan}) m`,
    parametersOf(place, span),
  );
  return onlyRow(rows);
}

/** Records a move that begins. */
export async function insertUnfinishedMove(
  sql: Sql,
  realmId: RealmId,
  move: Omit<UnfinishedMove, "moved">,
): Promise<void> {
  await sql`insert into unfinished_moves ${sql({ ...move, realm_id: realmId })}`;
}

/** The organization's moves, the oldest first. */
export function findUnfinishedMoves(sql: Sql, realmId: RealmId, limit: number): Promise<UnfinishedMove[]> {
  return sql<UnfinishedMove[]>`
    select id, user_id, message_id, channel_id, topic, new_channel_id, new_topic, after_id, to_id, received_by, sent_since,
      propagate_mode, notify_old_thread, notify_new_thread, is_toggle, is_whole_topic, target_had_topic, moved, touched_at
    from unfinished_moves where realm_id = ${realmId} order by id limit ${limit}`;
}

/** Whether more messages are on their way into a topic. */
export async function isBeingFilled(sql: Sql, channelId: ChannelId, topic: string): Promise<boolean> {
  const rows = await sql`
    select from unfinished_moves
    where coalesce(new_channel_id, channel_id) = ${channelId} and lower(new_topic) = lower(${topic}) limit 1`;
  return rows.length > 0;
}

/** Notes how far a move is. */
export async function updateUnfinishedMove(
  sql: Sql,
  { id, after_id, moved, touched_at }: Pick<UnfinishedMove, "id" | "after_id" | "moved" | "touched_at">,
): Promise<void> {
  await sql`
    update unfinished_moves set after_id = ${after_id}, moved = ${moved}, touched_at = ${touched_at} where id = ${id}`;
}

export async function deleteUnfinishedMove(sql: Sql, id: MoveId): Promise<void> {
  await sql`delete from unfinished_moves where id = ${id}`;
}

/** Organizations in which nobody has gone on with a move since then. @param before UNIX seconds */
export async function findRealmsWithIdleMoves(sql: Sql, before: number): Promise<RealmId[]> {
  const rows = await sql<{ realm_id: RealmId }[]>`
    select realm_id from unfinished_moves group by realm_id having max(touched_at) < ${before}`;
  return rows.map(({ realm_id }) => realm_id);
}
