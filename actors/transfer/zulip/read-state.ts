/**
 * Imports what people received and read. The export has a row for each person and message. Here each person has a set
 * of message ids for each conversation, with as many ranges as there are gaps. The sets are collected as ranges of
 * the messages' numbers in the conversation, so millions of rows take little memory.
 */
import { defined } from "../../../storage/failures.ts";
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
    const end = bounds.at(-1) ?? Number.NEGATIVE_INFINITY;
    if (end === number) bounds[bounds.length - 1] = number + 1;
    else {
      if (end > number) this.#isInOrder = false;
      bounds.push(number, number + 1);
      if (bounds.length > this.#joinAt && !this.#isInOrder) this.#join();
    }
  }

  /** Numbers that came in any order would be as many ranges. */
  #join(): void {
    const joined: number[] = [];
    for (const [from, to] of pairsOf(this.#bounds).sort((a, b) => a[0] - b[0])) {
      const end = joined.at(-1) ?? Number.NEGATIVE_INFINITY;
      if (from <= end) joined[joined.length - 1] = Math.max(end, to);
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
const idsOf = (key: string) => key.split(":").map(Number) as [UserId, RecipientId];

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
    const pairs = defined(this.#pairs[place], "such place");
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
      const [userId, recipientId] = idsOf(key);
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
      const [userId, recipientId] = idsOf(key);
      if (this.ids.messages.last > 0) yield this.#row(userId, recipientId, [`[1,${this.ids.messages.last + 1})`]);
    }
    const numbers = new Map(this.places.map((place, number) => [place?.recipientId, number]));
    for (const [userId, recipientId] of members) {
      const place = numbers.get(recipientId);
      if (place === undefined) continue;
      const unread = this.#pairs[place]?.get(userId)?.unread.bounds() ?? [];
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
    for (const [from, to] of pairsOf(bounds)) ranges.push(`[${idOf(from)},${idOf(to - 1) + 1})`);
    return ranges;
  }
}

/** The ranges of a flat list of bounds: the first number of each, and the one after its last. */
function pairsOf(bounds: readonly number[]): [from: number, to: number][] {
  const pairs: [number, number][] = [];
  for (let at = 0; at < bounds.length; at += 2) pairs.push([bounds[at] ?? 0, bounds[at + 1] ?? 0]);
  return pairs;
}

/** Bounds of the ranges below `end` that the others leave. */
function complement(bounds: readonly number[], end: number): number[] {
  return pairsOf([0, ...bounds, end])
    .filter(([from, to]) => from < to)
    .flat();
}
