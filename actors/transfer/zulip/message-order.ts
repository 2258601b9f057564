/**
 * The messages of an export, in typed arrays, since there may be millions. Some 30 bytes for each are all of a message
 * that stays in memory during an import.
 */
import type { OldMessageId, OldUserId } from "./tables.ts";

/** What a survey notes of each message, in the order of the files. */
export class MessageColumns {
  count = 0;
  ids = new Float64Array(1024);
  /** UNIX seconds with a fraction. */
  sentAt = new Float64Array(1024);
  senders = new Uint32Array(1024);
  /** Numbers of conversations. */
  places = new Uint32Array(1024);

  add(id: OldMessageId, sentAt: number, sender: OldUserId, place: number): void {
    if (this.count === this.ids.length) this.#grow();
    this.ids[this.count] = id;
    this.sentAt[this.count] = sentAt;
    this.senders[this.count] = sender;
    this.places[this.count++] = place;
  }

  /** Removes messages whose id another one has too: nobody could tell which of them is meant. Returns how many. */
  removeDuplicates(): number {
    const { count, ids } = this;
    const byId = sorted(count, byValue(ids));
    const kept = new Uint8Array(count);
    for (const [at, message] of byId.entries()) {
      const id = ids[message];
      if (id !== ids[byId[at - 1] ?? -1] && id !== ids[byId[at + 1] ?? -1]) kept[message] = 1;
    }
    let to = 0;
    for (let at = 0; at < count; at++) {
      if (kept[at] === 0) continue;
      for (const column of [ids, this.sentAt, this.senders, this.places]) column.copyWithin(to, at, at + 1);
      to++;
    }
    this.count = to;
    return count - to;
  }

  #grow(): void {
    const larger = <Column extends Float64Array | Uint32Array>(column: Column, empty: Column): Column => {
      empty.set(column);
      return empty;
    };
    const size = 2 * this.ids.length;
    this.ids = larger(this.ids, new Float64Array(size));
    this.sentAt = larger(this.sentAt, new Float64Array(size));
    this.senders = larger(this.senders, new Uint32Array(size));
    this.places = larger(this.places, new Uint32Array(size));
  }
}

/** Messages by their old ids, each with its rank in the order in which all of them were sent. */
export class MessageOrder {
  readonly count: number;
  /** Ascending. Other columns without a name of their order follow it. */
  readonly #ids: Float64Array;
  readonly #ranks: Uint32Array;
  readonly #senders: Uint32Array;
  readonly #places: Uint32Array;
  /** Each message's number in its conversation, from 0. */
  readonly #numbers: Uint32Array;
  /** The ranks of each conversation's messages, ascending, one conversation after the other. */
  readonly #ranksByPlace: Uint32Array;
  /** Where each conversation begins there. */
  readonly #begins: Uint32Array;
  #lastFound = 0;

  /** @param placeCount conversations are numbers below it */
  constructor({ count, ids, sentAt, senders, places }: MessageColumns, placeCount: number) {
    this.count = count;
    const byId = sorted(count, byValue(ids));
    this.#ids = Float64Array.from(byId, (at) => valueAt(ids, at));
    this.#senders = Uint32Array.from(byId, (at) => valueAt(senders, at));
    this.#places = Uint32Array.from(byId, (at) => valueAt(places, at));
    const byTime = sorted(count, byValue(Float64Array.from(byId, (at) => valueAt(sentAt, at))));
    this.#ranks = new Uint32Array(count);
    this.#numbers = new Uint32Array(count);
    this.#begins = new Uint32Array(placeCount + 1);
    const counts = new Uint32Array(placeCount);
    this.#ranksByPlace = new Uint32Array(count);
    for (const [rank, at] of byTime.entries()) {
      const place = this.place(at);
      this.#ranks[at] = rank;
      this.#numbers[at] = valueAt(counts, place);
      counts[place] = this.number(at) + 1;
    }
    for (const [place, length] of counts.entries()) this.#begins[place + 1] = valueAt(this.#begins, place) + length;
    for (const [rank, at] of byTime.entries())
      this.#ranksByPlace[valueAt(this.#begins, this.place(at)) + this.number(at)] = rank;
  }

  /** Where a message is in the columns below; -1: there is no such message. */
  find(id: OldMessageId): number {
    // Rows of a message and of the next one mostly follow one another.
    if (this.#ids[this.#lastFound] === id) return this.#lastFound;
    if (this.#ids[this.#lastFound + 1] === id) return ++this.#lastFound;
    let [low, high] = [0, this.count - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = valueAt(this.#ids, middle);
      if (found === id) return (this.#lastFound = middle);
      if (found < id) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  /** Among all messages, by the time when they were sent; ties by id. */
  rank(at: number): number {
    return valueAt(this.#ranks, at);
  }

  sender(at: number): OldUserId {
    return valueAt(this.#senders, at);
  }

  /** The number of its conversation. */
  place(at: number): number {
    return valueAt(this.#places, at);
  }

  /** Its number within its conversation. */
  number(at: number): number {
    return valueAt(this.#numbers, at);
  }

  countOf(place: number): number {
    return valueAt(this.#begins, place + 1) - valueAt(this.#begins, place);
  }

  /** The rank of a conversation's message with this number. */
  rankIn(place: number, number: number): number {
    return valueAt(this.#ranksByPlace, valueAt(this.#begins, place) + number);
  }
}

/** The value of a message that the column has: all columns of an order are as long as it. */
export const valueAt = (column: Float64Array | Uint32Array, at: number): number => column[at] ?? Number.NaN;

/** By the column's values, ascending; equals stay in their order. */
export const byValue = (column: Float64Array) => (a: number, b: number) =>
  valueAt(column, a) - valueAt(column, b) || a - b;

/** Numbers from 0 in an order. They are mostly sorted already. */
export function sorted(count: number, compare: (a: number, b: number) => number): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, at) => at);
  for (let at = 1; at < count; at++) if (compare(at - 1, at) > 0) return order.sort(compare);
  return order;
}
