/**
 * Imports what people received and read. The export has a row for each person and message. Here each person has a set
 * of message ids for each conversation, with as many ranges as there are gaps. The sets are collected as ranges of
 * the messages' numbers in the conversation, so millions of rows take little memory.
 */
import type { RecipientId, UserId } from "../../../storage/ids.ts";
import type { BulkRow } from "../../../storage/transfer/imports.ts";
import type { IdMaps, NewPlace } from "./ids.ts";

/** Ranges that a set gathers before it looks whether some of them are adjacent. */
const fewRanges = 32;

/** A set of numbers as ranges [from, to), which come mostly in order. */
export class Ranges {
  #bounds: number[] = [];
  #isInOrder = true;
  #joinAt = 2 * fewRanges;

  add(number: number): void {
    const bounds = this.#bounds;
    const last = bounds.length - 1;
    if (last >= 0 && bounds[last] === number) bounds[last] = number + 1;
    else {
      if (last >= 0 && bounds[last]! > number) this.#isInOrder = false;
      bounds.push(number, number + 1);
      if (bounds.length > this.#joinAt && !this.#isInOrder) this.#join();
    }
  }

  /** Numbers that came in any order would be as many ranges. */
  #join(): void {
    const pairs: [number, number][] = [];
    for (let at = 0; at < this.#bounds.length; at += 2) pairs.push([this.#bounds[at]!, this.#bounds[at + 1]!]);
    pairs.sort((a, b) => a[0] - b[0]);
    const joined: number[] = [];
    for (const [from, to] of pairs) {
      const last = joined.length - 1;
      if (last >= 0 && from <= joined[last]!) joined[last] = Math.max(joined[last]!, to);
      else joined.push(from, to);
    }
    this.#bounds = joined;
    this.#isInOrder = true;
    this.#joinAt = Math.max(2 * fewRanges, 2 * joined.length);
  }

  /** Bounds of the ranges in order, `from` and `to` in turn, with adjacent ones joined. */
  bounds(): readonly number[] {
    if (!this.#isInOrder) this.#join();
    return this.#bounds;
  }
}

/** Of a channel what somebody received and read, of a direct conversation what they have not. */
interface Pair {
  received: Ranges;
  read: Ranges;
  unread: Ranges;
}

/** Who has something of which conversation: `<user>:<recipient>`. */
type Keys = ReadonlySet<string>;
const keyOf = (userId: UserId, recipientId: RecipientId): string => `${userId}:${recipientId}`;

export class ReadStates {
  /** By the conversation's number, then by person. */
  readonly #pairs: Map<UserId, Pair>[];

  constructor(
    private readonly ids: IdMaps,
    /** The conversations by their numbers; undefined: messages of it are not imported. */
    private readonly places: readonly (NewPlace | undefined)[],
    /** Who has received and read all of which channel. */
    private readonly whole: Keys = new Set(),
  ) {
    this.#pairs = places.map(() => new Map());
  }

  /** Notes that somebody received a message. @param number of the message in its conversation */
  note(place: number, number: number, userId: UserId, isRead: boolean): void {
    const to = this.places[place];
    if (to === undefined || (this.whole.size > 0 && this.whole.has(keyOf(userId, to.recipientId)))) return;
    const pairs = this.#pairs[place]!;
    let pair = pairs.get(userId);
    if (pair === undefined)
      pairs.set(userId, (pair = { received: new Ranges(), read: new Ranges(), unread: new Ranges() }));
    if (to.channelId === null) {
      if (!isRead) pair.unread.add(number);
      return;
    }
    // A historical message is one that the person looked up later. It counts as received, may be unread, and keeps its
    // flag.
    pair.received.add(number);
    if (isRead) pair.read.add(number);
  }

  /** What people received in channels. @param subscribers present ones */
  *receivedRows(subscribers: Keys): Generator<BulkRow<"received">> {
    const future = `[${this.ids.messages.last + 1},)`;
    const left = new Set(subscribers);
    for (const [userId, { recipientId }, place, { received }] of this.#ofChannels()) {
      const ranges = this.#idRanges(place, received.bounds());
      if (left.delete(keyOf(userId, recipientId))) ranges.push(future);
      if (ranges.length > 0) yield this.#row(userId, recipientId, ranges);
    }
    for (const key of new Set([...left, ...this.whole])) {
      const [userId, recipientId] = key.split(":").map(Number) as [UserId, RecipientId];
      const past = this.whole.has(key) && this.ids.messages.last > 0 ? [`[1,${this.ids.messages.last + 1})`] : [];
      yield this.#row(userId, recipientId, left.has(key) ? [...past, future] : past);
    }
  }

  /** What people read. In a direct conversation everything counts as read that is not unread. */
  *readRows(members: Iterable<readonly [userId: UserId, recipientId: RecipientId]>): Generator<BulkRow<"read_states">> {
    for (const [userId, { recipientId }, place, { read }] of this.#ofChannels()) {
      const ranges = this.#idRanges(place, read.bounds());
      if (ranges.length > 0) yield this.#row(userId, recipientId, ranges);
    }
    for (const key of this.whole) {
      const [userId, recipientId] = key.split(":").map(Number) as [UserId, RecipientId];
      if (this.ids.messages.last > 0) yield this.#row(userId, recipientId, [`[1,${this.ids.messages.last + 1})`]);
    }
    const numbers = new Map(this.places.map((place, number) => [place?.recipientId, number]));
    for (const [userId, recipientId] of members) {
      const place = numbers.get(recipientId);
      if (place === undefined) continue;
      const unread = this.#pairs[place]!.get(userId)?.unread.bounds() ?? [];
      const ranges = this.#idRanges(place, complement(unread, this.ids.messages.order.countOf(place)));
      if (ranges.length > 0) yield this.#row(userId, recipientId, ranges);
    }
  }

  *#ofChannels(): Generator<[userId: UserId, to: NewPlace, place: number, pair: Pair]> {
    for (const [place, pairs] of this.#pairs.entries()) {
      const to = this.places[place];
      if (to !== undefined && to.channelId !== null)
        for (const [userId, pair] of pairs) yield [userId, to, place, pair];
    }
  }

  #row(user_id: UserId, recipient_id: RecipientId, ranges: readonly string[]) {
    return { user_id, recipient_id, realm_id: this.ids.realm, ids: `{${ranges.join(",")}}` };
  }

  #idRanges(place: number, bounds: readonly number[]): string[] {
    const { messages } = this.ids;
    const idOf = (number: number) => messages.ofRank(messages.order.rankIn(place, number));
    const ranges: string[] = [];
    for (let at = 0; at < bounds.length; at += 2)
      ranges.push(`[${idOf(bounds[at]!)},${idOf(bounds[at + 1]! - 1) + 1})`);
    return ranges;
  }
}

/** Bounds of the ranges below `end` that the others leave. */
function complement(bounds: readonly number[], end: number): number[] {
  const all = [0, ...bounds, end];
  return all.filter((_, at) => all[at - (at % 2)]! < all[at - (at % 2) + 1]!);
}
