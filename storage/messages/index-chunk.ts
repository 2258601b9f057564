/** Reads the newest part of a history without texts, in a packed form: as rows it would take many times as long. */
import type { ChannelId, LogPosition, MessageId, RealmId, RecipientId, UserId } from "../ids.ts";
import { readInt32s } from "../integers.ts";
import type { Sql } from "../postgres.ts";

/** Messages of one conversation and topic, ascending. */
export interface PackedMessages {
  recipient_id: RecipientId;
  channel_id: ChannelId | null;
  topic: string;
  ids: Float64Array;
  sender_ids: Int32Array;
  read_by_sender: Int32Array;
}

/** Mentions, which few messages have. */
export interface StoredMentions {
  id: MessageId;
  channel_wildcard: boolean;
  user_ids: UserId[];
}

export interface PackedChunk {
  groups: PackedMessages[];
  mentions: StoredMentions[];
  count: number;
  /** The log's end in the same snapshot. 0 while it is empty. */
  position: LogPosition;
}

/** The newest `limit` messages with ids below `below`, in one snapshot, with its log position. */
export async function readChunk(sql: Sql, realmId: RealmId, below: MessageId, limit: number): Promise<PackedChunk> {
  interface Row {
    recipient_id: RecipientId | null;
    channel_id: ChannelId | null;
    topic: string;
    ids: Buffer;
    sender_ids: Buffer;
    read_by_sender: Buffer;
    mentions: StoredMentions[] | null;
    position: LogPosition;
  }
  // Unsafe: the statement is a constant that is put together once.
  const rows = await sql.unsafe<Row[]>(
    `with chunk as materialized (
       select id, recipient_id, channel_id, topic, sender_id, read_by_sender, channel_wildcard, mentioned, topic_participants
       from messages where realm_id = $1 and id < $2 order by id desc limit $3::int),
     grouped as (
       select recipient_id, channel_id, topic, string_agg(int8send(id), '' order by id) as ids,
         string_agg(int4send(sender_id::int), '' order by id) as sender_ids,
         string_agg(int4send(read_by_sender::int), '' order by id) as read_by_sender
       from chunk group by recipient_id, channel_id, topic),
     mentions as (
       select json_agg(json_build_object('id', id, 'channel_wildcard', channel_wildcard,
         'user_ids', coalesce(mentioned, '{}') || coalesce(topic_participants, '{}'))) as mentions
       from chunk where channel_wildcard or mentioned is not null or topic_participants is not null)
     select g.*, m.mentions,
       coalesce((select max(position) from realm_log where realm_id = $1), 0) as position
     from mentions m left join grouped g on true`,
    [realmId, below, limit],
    { prepare: true },
  );
  const groups = rows.flatMap(({ recipient_id, channel_id, topic, ids, sender_ids, read_by_sender }) =>
    recipient_id === null
      ? []
      : [
          {
            recipient_id,
            channel_id,
            topic,
            ids: readInt64s(ids),
            sender_ids: readInt32s(sender_ids),
            read_by_sender: readInt32s(read_by_sender),
          },
        ],
  );
  const count = groups.reduce((sum, group) => sum + group.ids.length, 0);
  return { groups, mentions: rows[0]?.mentions ?? [], count, position: rows[0]?.position ?? 0 };
}

/** Ids stay far below 2^53. */
function readInt64s(bytes: Buffer): Float64Array {
  const integers = new Float64Array(bytes.length / 8);
  for (let index = 0; index < integers.length; index++)
    integers[index] = bytes.readInt32BE(8 * index) * 2 ** 32 + bytes.readUInt32BE(8 * index + 4);
  return integers;
}
