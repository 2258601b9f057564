/**
 * What people received and have read of each conversation, and their rare flags, for those who read lately. Of those
 * who registered lately it also has the lists that only PostgreSQL holds. It is read from PostgreSQL once, and then
 * kept as the log says: what the log does not spell out makes it be read anew. Bounded in bytes; people who asked for
 * it longest ago are forgotten first.
 */
import type { LogPosition, MessageId, RecipientId, UserId } from "../../storage/ids.ts";
import type { Lane } from "../../storage/messages/lanes.ts";
import { addRange } from "../../storage/messages/ranges.ts";
import { type ReaderFlags, readReaderState } from "../../storage/messages/shared-records.ts";
import type { Sql } from "../../storage/postgres.ts";
import type { StoredLists, StoredState } from "../../storage/stored-state.ts";
import type { UpdateMessageFlagsEvent, WireMessage } from "../events/messages.ts";
import { LruMap } from "../lru-map.ts";
import type { LogEntry } from "../realm/entry.ts";
import { listChanges } from "./list-changes.ts";
import type { MessageIndex } from "./message-index.ts";

/** What is particular to one person about messages. */
export interface ReaderState {
  readonly lanes: ReadonlyMap<RecipientId, Lane>;
  readonly flags: ReaderFlags;
}

/** What a register tells of a person, at the place of the log that the node has applied. */
export interface RegisteredState {
  readonly lanes: ReadonlyMap<RecipientId, Lane>;
  /** Nobody changes them: later ones are others. */
  readonly lists: StoredLists;
}

interface Kept extends ReaderState {
  readonly lanes: Map<RecipientId, Lane>;
  lists?: KeptLists | undefined;
  bytes: number;
}

interface KeptLists {
  lists: StoredLists;
  /** Before this place of the log they are not valid: they were read at it. Neither are the lanes. */
  readonly from: LogPosition;
  readonly bytes: number;
}

const bytesPerPerson = 400;
const bytesPerLane = 150;
const bytesPerBound = 8;
const bytesPerFlag = 120;
/** What an object takes in memory for each character of its JSON, about. */
const bytesPerCharacter = 2;
/** Longer lists of a person are not kept. */
const maxListBytes = 256 * 1024;
/** Messages that are marked read in memory. With more the person is read anew. */
const maxMarked = 200;
/** The same of all people together: a move of messages tells thousands that they have read them. */
const maxMarks = 4_000;

export class ReaderStates {
  readonly #kept = new LruMap<UserId, Kept>();
  /** People who are being read, and whether the log spoke of them since. */
  readonly #reading = new Map<UserId, Set<{ isStale: boolean }>>();
  #bytes = 0;

  constructor(private readonly maxBytes: number) {}

  get bytes(): number {
    return this.#bytes;
  }

  /** Of a person who is in memory. */
  find(userId: UserId): ReaderState | undefined {
    return this.#kept.use(userId);
  }

  /** The same, from PostgreSQL where it is not in memory. @throws StorageUnavailable */
  async read(sql: Sql, userId: UserId): Promise<ReaderState> {
    const known = this.find(userId);
    if (known) return known;
    return this.#readAnew(userId, async () => {
      const { lanes, flags } = await readReaderState(sql, userId);
      return { lanes: new Map(lanes.map((lane) => [lane.recipientId, lane])), flags, bytes: 0 };
    });
  }

  /**
   * Of a person who registered lately, as far as it is in memory.
   *
   * @param position that this node has applied
   */
  findRegistered(userId: UserId, position: LogPosition): RegisteredState | undefined {
    const kept = this.#kept.get(userId);
    if (!kept?.lists || kept.lists.from > position) return undefined;
    this.#kept.use(userId);
    return { lanes: kept.lanes, lists: kept.lists.lists };
  }

  /** Has `load` read what a register tells, its lists too, and keeps it. */
  async readRegistered(userId: UserId, load: () => Promise<StoredState>): Promise<StoredState> {
    let stored: StoredState | undefined;
    await this.#readAnew(userId, async () => {
      stored = await load();
      const { lanes, flags, lists, logged } = stored;
      const bytes = JSON.stringify(lists).length * bytesPerCharacter;
      const kept: Kept = { lanes: new Map(lanes.map((lane) => [lane.recipientId, lane])), flags, bytes: 0 };
      if (bytes <= maxListBytes) kept.lists = { lists, from: logged, bytes };
      return kept;
    });
    return stored!;
  }

  async #readAnew(userId: UserId, load: () => Promise<Kept>): Promise<Kept> {
    const reading = { isStale: false };
    const underWay = this.#reading.get(userId) ?? new Set();
    this.#reading.set(userId, underWay.add(reading));
    try {
      const read = await load();
      if (!reading.isStale) this.#keep(userId, read);
      return read;
    } finally {
      underWay.delete(reading);
      if (underWay.size === 0) this.#reading.delete(userId);
    }
  }

  /** An entry of the log, after the index has it. */
  apply(entry: LogEntry, index: MessageIndex | undefined): void {
    if (this.#kept.size === 0 && this.#reading.size === 0) return;
    const { changes, event, audience } = entry;
    const gone = listChanges(entry);
    if (gone)
      for (const userId of gone.of ?? [...this.#kept.keys(), ...this.#reading.keys()]) this.#forgetLists(userId);
    for (const change of changes ?? []) {
      if (change.table === "subscriptions") for (const row of change.put ?? []) this.#forget(row.user_id);
    }
    switch (event?.type) {
      case "update_message_flags":
        if (audience?.to !== "users") this.clear();
        else if (audience.ids.length * event.messages.length > maxMarks)
          for (const userId of audience.ids) this.#forget(userId);
        else for (const userId of audience.ids) this.#flagsChanged(userId, event, index);
        return;
      case "message":
        for (const userId of event.read_by ?? []) this.#forget(userId);
        if (typeof event.message.display_recipient !== "string") this.#cameDirectly(event.message);
        return;
      case "delete_message":
        for (const { key: userId, value } of this.#kept)
          if (value.lists?.lists.starred.length) this.#forgetLists(userId);
        for (const userId of this.#reading.keys()) this.#makeStale(userId);
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
    for (const userId of this.#reading.keys()) this.#makeStale(userId);
  }

  /** A direct message came: it is the newest of its conversation. */
  #cameDirectly({ id: messageId, recipient_id, display_recipient }: WireMessage): void {
    for (const { id: userId } of display_recipient as Exclude<typeof display_recipient, string>) {
      const kept = this.#kept.get(userId);
      if (!kept?.lanes.has(recipient_id)) {
        this.#forget(userId);
        continue;
      }
      this.#makeStale(userId);
      if (!kept.lists) continue;
      const { conversations, ...others } = kept.lists.lists;
      const place = conversations.findIndex((one) => one.recipient_id === recipient_id);
      const conversation = conversations[place];
      // It has become one of those that are told, or was read at a later place of the log.
      if (!conversation || conversation.max_message_id >= messageId) this.#forgetLists(userId);
      else {
        const newest = [{ ...conversation, max_message_id: messageId }, ...conversations.toSpliced(place, 1)];
        kept.lists.lists = { ...others, conversations: newest };
      }
    }
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
    this.#makeStale(userId);
  }

  #keep(userId: UserId, read: Kept): void {
    this.#drop(userId);
    read.bytes = sizeOf(read);
    this.#kept.set(userId, read);
    this.#bytes += read.bytes;
    while (this.#bytes > this.maxBytes && this.#kept.oldest) this.#drop(this.#kept.oldest.key);
  }

  #forget(userId: UserId): void {
    this.#drop(userId);
    this.#makeStale(userId);
  }

  #forgetLists(userId: UserId): void {
    const kept = this.#kept.get(userId);
    if (kept?.lists) {
      kept.bytes -= kept.lists.bytes;
      this.#bytes -= kept.lists.bytes;
      kept.lists = undefined;
    }
    this.#makeStale(userId);
  }

  /** What is being read of the person may be older than the log. */
  #makeStale(userId: UserId): void {
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
    const before = lane.read.length;
    addRange(lane.read, place.first ?? id, place.end);
    added += lane.read.length - before;
  }
  return added;
}

function sizeOf({ lanes, flags, lists }: Kept): number {
  let bytes = bytesPerPerson + lanes.size * bytesPerLane + flags.byMessage.size * bytesPerFlag + (lists?.bytes ?? 0);
  for (const { received, read } of lanes.values()) bytes += (received.length + read.length) * bytesPerBound;
  return bytes;
}
