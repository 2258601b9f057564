/**
 * Sets of message ids as ranges, like PostgreSQL's `int8multirange`: a flat, ascending list of bounds. A range has its
 * first id and the one after its last.
 */
import type { MessageId } from "../ids.ts";

export type Ranges = readonly MessageId[];

/** Every id there is: they begin with 1, and so does what people have read. */
export const allIds: Ranges = [1, Number.POSITIVE_INFINITY];

/** Reads texts such as `{[1,500),[502,)}`, one after the other. */
export class RangesReader {
  #at = 0;

  constructor(private readonly text: string) {}

  get isAtEnd(): boolean {
    return this.#at >= this.text.length;
  }

  /** The integer of the next digits. -1: there are none. */
  digits(): number {
    const from = this.#at;
    let integer = 0;
    for (let code = this.text.charCodeAt(from); code >= 48 && code <= 57; code = this.text.charCodeAt(++this.#at))
      integer = integer * 10 + (code - 48);
    return this.#at === from ? -1 : integer;
  }

  /** A multirange. PostgreSQL writes each range with its first id included and its upper bound excluded. */
  ranges(): MessageId[] {
    const { text } = this;
    const bounds: MessageId[] = [];
    this.#at++; // {
    while (text.charCodeAt(this.#at) !== 125 /* } */) {
      this.#at++; // [ or (
      const first = this.digits();
      this.#at++; // ,
      const end = this.digits();
      this.#at++; // )
      bounds.push(Math.max(first, 0), end === -1 ? Number.POSITIVE_INFINITY : end);
      if (text.charCodeAt(this.#at) === 44 /* , */) this.#at++;
    }
    this.#at++;
    return bounds;
  }
}

/** Whether the id is in the set. */
export const includesId = (ranges: Ranges, id: MessageId): boolean => (boundsUpTo(ranges, id) & 1) === 1;

/** The range that the id is in. */
export function rangeAt(ranges: Ranges, id: MessageId): { first: MessageId; end: MessageId } | undefined {
  const bounds = boundsUpTo(ranges, id);
  return (bounds & 1) === 1 ? { first: ranges[bounds - 1]!, end: ranges[bounds]! } : undefined;
}

/** The number of bounds at or below the id: it is inside when that is odd. */
function boundsUpTo(ranges: Ranges, id: MessageId): number {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges[middle]! <= id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The lowest id in the first set that is not in the second. */
export function firstWithout(ranges: Ranges, taken: Ranges): MessageId | undefined {
  for (let place = 0; place < ranges.length; place += 2) {
    const first = ranges[place]!;
    const left = rangeAt(taken, first)?.end ?? first;
    if (left < ranges[place + 1]!) return left;
  }
  return undefined;
}

/** The ids in the first set that are not in the second. */
export function without(ranges: Ranges, taken: Ranges): Ranges {
  if (taken.length === 0) return ranges;
  const left: number[] = [];
  let next = 0;
  for (let place = 0; place < ranges.length; place += 2) {
    let first = ranges[place]!;
    const end = ranges[place + 1]!;
    while (next < taken.length && taken[next + 1]! <= first) next += 2;
    for (let over = next; over < taken.length && taken[over]! < end; over += 2) {
      if (taken[over]! > first) left.push(first, taken[over]!);
      first = Math.max(first, taken[over + 1]!);
    }
    if (first < end) left.push(first, end);
  }
  return left;
}

/** Adds the ids from `first` to before `end`. The set is not copied: it may have 100,000 ranges. */
export function addRange(ranges: MessageId[], first: MessageId, end: MessageId): void {
  // The ranges that it meets or touches: all bounds from `low` to before `high`.
  const low = boundsUpTo(ranges, first - 1) & ~1;
  const high = (boundsUpTo(ranges, end) + 1) & ~1;
  if (low === high) ranges.splice(low, 0, first, end);
  else ranges.splice(low, high - low, Math.min(first, ranges[low]!), Math.max(end, ranges[high - 1]!));
}
