/**
 * Imports what people received and read. The export has a row for each person and message. Here each person has a set
 * of message ids for each conversation, with as many ranges as there are gaps. The sets are collected as ranges of
 * indexes into the conversation, so millions of rows take little memory.
 */
import type { MessageId, RecipientId, UserId } from "../../../storage/ids.ts";
import type { BulkRow } from "../../../storage/transfer/imports.ts";
import type { IdMaps } from "./ids.ts";
import type { NewPlace } from "./messages.ts";
import { flagBits, type MessageFile, type MessageTable, type UserMessageTable } from "./tables.ts";

/** A set of indexes as ranges [from, to), in the order in which they were added. */
class Places {
  readonly #ranges: number[] = [];

  add(place: number): void {
    const last = this.#ranges.length - 1;
    if (last >= 0 && this.#ranges[last] === place) this.#ranges[last] = place + 1;
    else this.#ranges.push(place, place + 1);
  }

  /** The ranges in order, with adjacent ones joined. */
  *ranges(): Generator<[from: number, to: number]> {
    const pairs: [number, number][] = [];
    for (let at = 0; at < this.#ranges.length; at += 2) pairs.push([this.#ranges[at]!, this.#ranges[at + 1]!]);
    pairs.sort((a, b) => a[0] - b[0]);
    let open: [number, number] | undefined;
    for (const pair of pairs) {
      if (open !== undefined && pair[0] <= open[1]) open[1] = Math.max(open[1], pair[1]);
      else {
        if (open !== undefined) yield open;
        open = pair;
      }
    }
    if (open !== undefined) yield open;
  }
}

interface Pair {
  userId: UserId;
  recipientId: RecipientId;
  isChannel: boolean;
  received: Places;
  read: Places;
  unread: Places;
}

export class ReadStates {
  /** The messages of each conversation, in order. */
  readonly #messages = new Map<RecipientId, MessageId[]>();
  readonly #places = new Map<MessageId, number>();
  readonly #pairs = new Map<string, Pair>();

  constructor(
    private readonly ids: IdMaps,
    /** Who has received and read all of which channel: `<user>:<recipient>`. */
    private readonly whole: ReadonlySet<string> = new Set(),
  ) {}

  /** Adds a message. All messages are added before any flags, in the order of their new ids. */
  addMessage(id: MessageId, { recipientId }: NewPlace): void {
    let messages = this.#messages.get(recipientId);
    if (messages === undefined) this.#messages.set(recipientId, (messages = []));
    this.#places.set(id, messages.length);
    messages.push(id);
  }

  /** Adds the flags of one file. Returns the rare ones. */
  addFile(file: MessageFile, placeOf: (message: MessageTable) => NewPlace | undefined): BulkRow<"message_flags">[] {
    const places = new Map(file.zerver_message.map((message) => [message.id, placeOf(message)]));
    const notReceived = new Set(
      (file.parley_message ?? []).flatMap(({ id, not_received = [] }) => not_received.map((user) => `${user}:${id}`)),
    );
    const flags: BulkRow<"message_flags">[] = [];
    for (const row of file.zerver_usermessage) {
      const place = places.get(row.message);
      const user_id = this.ids.users.get(row.user_profile);
      const message_id = this.ids.messages.get(row.message);
      if (place === undefined || user_id === undefined || message_id === undefined) continue;
      if (!notReceived.has(`${row.user_profile}:${row.message}`))
        this.#note(row, user_id, place, this.#places.get(message_id)!);
      const has = (bit: number): boolean => (row.flags_mask & bit) !== 0;
      if (has(flagBits.starred) || has(flagBits.collapsed) || has(flagBits.historical))
        flags.push({
          user_id,
          message_id,
          realm_id: this.ids.realm,
          starred: has(flagBits.starred),
          collapsed: has(flagBits.collapsed),
          historical: has(flagBits.historical),
        });
    }
    return flags;
  }

  #note({ flags_mask }: UserMessageTable, userId: UserId, { recipientId, channelId }: NewPlace, place: number): void {
    const key = `${userId}:${recipientId}`;
    if (this.whole.has(key)) return;
    let pair = this.#pairs.get(key);
    if (pair === undefined) {
      const sets = { received: new Places(), read: new Places(), unread: new Places() };
      this.#pairs.set(key, (pair = { userId, recipientId, isChannel: channelId !== null, ...sets }));
    }
    // A historical message is one that the person looked up later. It counts as received, may be unread, and keeps its
    // flag.
    pair.received.add(place);
    if ((flags_mask & flagBits.read) !== 0) pair.read.add(place);
    else pair.unread.add(place);
  }

  /** What people received in channels. @param subscribers present ones: `<user>:<recipient>` */
  receivedRows(subscribers: ReadonlySet<string>): BulkRow<"received">[] {
    const rows: BulkRow<"received">[] = [];
    const future = `[${this.ids.messages.last + 1},)`;
    const left = new Set(subscribers);
    for (const [key, pair] of this.#pairs) {
      if (!pair.isChannel) continue;
      const ranges = this.#idRanges(pair.recipientId, pair.received);
      if (left.delete(key)) ranges.push(future);
      if (ranges.length > 0) rows.push(this.#row(pair.userId, pair.recipientId, ranges));
    }
    for (const key of new Set([...left, ...this.whole])) {
      const [userId, recipientId] = key.split(":").map(Number) as [UserId, RecipientId];
      const past = this.whole.has(key) && this.ids.messages.last > 0 ? [`[1,${this.ids.messages.last + 1})`] : [];
      rows.push(this.#row(userId, recipientId, left.has(key) ? [...past, future] : past));
    }
    return rows;
  }

  /** What people read. In a direct conversation everything counts as read that is not unread. */
  readRows(members: Iterable<readonly [userId: UserId, recipientId: RecipientId]>): BulkRow<"read_states">[] {
    const rows: BulkRow<"read_states">[] = [];
    for (const { isChannel, userId, recipientId, read } of this.#pairs.values()) {
      const ranges = isChannel ? this.#idRanges(recipientId, read) : [];
      if (ranges.length > 0) rows.push(this.#row(userId, recipientId, ranges));
    }
    for (const key of this.whole) {
      const [userId, recipientId] = key.split(":").map(Number) as [UserId, RecipientId];
      if (this.ids.messages.last > 0) rows.push(this.#row(userId, recipientId, [`[1,${this.ids.messages.last + 1})`]));
    }
    for (const [userId, recipientId] of members) {
      const ranges = this.#allBut(recipientId, this.#pairs.get(`${userId}:${recipientId}`)?.unread ?? new Places());
      if (ranges.length > 0) rows.push(this.#row(userId, recipientId, ranges));
    }
    return rows;
  }

  #row(user_id: UserId, recipient_id: RecipientId, ranges: readonly string[]) {
    return { user_id, recipient_id, realm_id: this.ids.realm, ids: `{${ranges.join(",")}}` };
  }

  #idRanges(recipientId: RecipientId, places: Places): string[] {
    const messages = this.#messages.get(recipientId) ?? [];
    return [...places.ranges()].map(([from, to]) => `[${messages[from]},${messages[to - 1]! + 1})`);
  }

  #allBut(recipientId: RecipientId, unread: Places): string[] {
    const messages = this.#messages.get(recipientId) ?? [];
    const ranges: string[] = [];
    let next = 0;
    const until = (end: number): void => {
      if (end > next) ranges.push(`[${messages[next]},${messages[end - 1]! + 1})`);
    };
    for (const [from, to] of unread.ranges()) {
      until(from);
      next = to;
    }
    until(messages.length);
    return ranges;
  }
}
