/**
 * What people received and have read of each conversation, and their rare flags, for those who read lately. It is read
 * from PostgreSQL once, and then kept as the log says: what the log does not spell out makes it be read anew. Bounded
 * in bytes; people who asked for it longest ago are forgotten first.
 */
import type { MessageId, RecipientId, UserId } from "../../storage/ids.ts";
import type { Lane } from "../../storage/messages/lanes.ts";
import { withRange } from "../../storage/messages/ranges.ts";
import { type RareFlags, readReaderState } from "../../storage/messages/shared-records.ts";
import type { Sql } from "../../storage/postgres.ts";
import type { UpdateMessageFlagsEvent } from "../events/messages.ts";
import type { LogEntry } from "../realm/entry.ts";
import type { MessageIndex } from "./message-index.ts";

/** What is particular to one person about the messages from an id on. */
export interface ReaderState {
  readonly lanes: ReadonlyMap<RecipientId, Lane>;
  /** Rare flags, by message id; complete from `low` on. */
  readonly flags: ReadonlyMap<MessageId, RareFlags>;
  readonly low: MessageId;
}

interface Kept extends ReaderState {
  readonly lanes: Map<RecipientId, Lane>;
  bytes: number;
}

/** The rare flags of so many of the newest messages are read before it is known which messages are shown. */
const flaggedMessages = 5000;

/** From which id on the rare flags of people are to be known. */
export const flaggedFrom = (index: MessageIndex): MessageId =>
  index.size <= flaggedMessages ? index.floor : index.idFromEnd(flaggedMessages);

const bytesPerPerson = 400;
const bytesPerLane = 150;
const bytesPerBound = 8;
const bytesPerFlag = 120;
/** Messages that are marked read in memory. With more the person is read anew. */
const maxMarked = 200;
/** People for whom that is done at a time: a move of messages tells thousands that they have read them. */
const maxMarkers = 20;

export class ReaderStates {
  readonly #kept = new Map<UserId, Kept>();
  /** People who are being read, and whether the log spoke of them since. */
  readonly #reading = new Map<UserId, Set<{ isStale: boolean }>>();
  #bytes = 0;

  constructor(private readonly maxBytes: number) {}

  get bytes(): number {
    return this.#bytes;
  }

  /** Of a person who is in memory, with flags from `low` on or from before. */
  find(userId: UserId, low: MessageId): ReaderState | undefined {
    const kept = this.#kept.get(userId);
    if (!kept || kept.low > low) return undefined;
    this.#kept.delete(userId);
    this.#kept.set(userId, kept);
    return kept;
  }

  /** The same, from PostgreSQL where it is not in memory. @throws StorageUnavailable */
  async read(sql: Sql, userId: UserId, low: MessageId): Promise<ReaderState> {
    const known = this.find(userId, low);
    if (known) return known;
    const reading = { isStale: false };
    const underWay = this.#reading.get(userId) ?? new Set();
    this.#reading.set(userId, underWay.add(reading));
    try {
      const { lanes, flags } = await readReaderState(sql, userId, low);
      const read: Kept = { lanes: new Map(lanes.map((lane) => [lane.recipientId, lane])), flags, low, bytes: 0 };
      if (!reading.isStale) this.#keep(userId, read);
      return read;
    } finally {
      underWay.delete(reading);
      if (underWay.size === 0) this.#reading.delete(userId);
    }
  }

  /** An entry of the log, after the index has it. */
  apply({ changes, event, audience }: LogEntry, index: MessageIndex | undefined): void {
    if (this.#kept.size === 0 && this.#reading.size === 0) return;
    for (const change of changes ?? []) {
      if (change.table !== "subscriptions") continue;
      for (const row of change.put ?? []) this.#forget(row.user_id);
      for (const row of change.remove ?? []) {
        if (row.user_id === undefined) this.clear();
        else this.#forget(row.user_id);
      }
    }
    switch (event?.type) {
      case "update_message_flags":
        if (audience?.to !== "users") this.clear();
        else if (audience.ids.length > maxMarkers) for (const userId of audience.ids) this.#forget(userId);
        else for (const userId of audience.ids) this.#flagsChanged(userId, event, index);
        return;
      case "message":
        for (const userId of event.read_by ?? []) this.#forget(userId);
        if (typeof event.message.display_recipient !== "string")
          for (const { id } of event.message.display_recipient)
            if (!this.#kept.get(id)?.lanes.has(event.message.recipient_id)) this.#forget(id);
        return;
      case "update_message":
        // What people received and have read goes along to another channel.
        if (event.new_stream_id !== undefined) this.clear();
        return;
      default:
        return;
    }
  }

  clear(): void {
    this.#kept.clear();
    this.#bytes = 0;
    for (const underWay of this.#reading.values()) for (const reading of underWay) reading.isStale = true;
  }

  #flagsChanged(userId: UserId, event: UpdateMessageFlagsEvent, index: MessageIndex | undefined): void {
    const kept = this.#kept.get(userId);
    const isMark = event.flag === "read" && event.op === "add" && !event.all && event.messages.length <= maxMarked;
    const bounds = kept && index && isMark ? markRead(kept, index, event.messages) : undefined;
    if (bounds === undefined) {
      this.#forget(userId);
      return;
    }
    kept!.bytes += bounds * bytesPerBound;
    this.#bytes += bounds * bytesPerBound;
    for (const reading of this.#reading.get(userId) ?? []) reading.isStale = true;
  }

  #keep(userId: UserId, read: Kept): void {
    this.#drop(userId);
    read.bytes = sizeOf(read);
    this.#kept.set(userId, read);
    this.#bytes += read.bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.maxBytes) return;
      this.#drop(oldest);
    }
  }

  #forget(userId: UserId): void {
    this.#drop(userId);
    for (const reading of this.#reading.get(userId) ?? []) reading.isStale = true;
  }

  #drop(userId: UserId): void {
    const kept = this.#kept.get(userId);
    if (!kept) return;
    this.#kept.delete(userId);
    this.#bytes -= kept.bytes;
  }
}

/** @returns how many bounds of ranges that adds; undefined: the index or the lanes do not know one of them */
function markRead({ lanes }: Kept, index: MessageIndex, ids: readonly MessageId[]): number | undefined {
  let added = 0;
  for (const id of ids) {
    const place = index.find(id);
    const lane = place && lanes.get(place.recipientId);
    if (!lane) return undefined;
    const read = withRange(lane.read, place.first ?? id, place.end);
    added += read.length - lane.read.length;
    lanes.set(lane.recipientId, { ...lane, read });
  }
  return added;
}

function sizeOf({ lanes, flags }: ReaderState): number {
  let bytes = bytesPerPerson + lanes.size * bytesPerLane + flags.size * bytesPerFlag;
  for (const { received, read } of lanes.values()) bytes += (received.length + read.length) * bytesPerBound;
  return bytes;
}
