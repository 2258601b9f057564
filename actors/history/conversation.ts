/** One conversation of the index of the history. */
import type { ChannelId, RecipientId } from "../../storage/ids.ts";

/** One conversation's messages: their numbers, ascending. */
export class Conversation {
  #numbers = new Uint32Array(8);
  #start = 0;
  #end = 0;

  constructor(
    readonly recipientId: RecipientId,
    readonly channelId: ChannelId | null,
  ) {}

  get length(): number {
    return this.#end - this.#start;
  }

  at(place: number): number {
    return this.#numbers[this.#start + place]!;
  }

  push(number: number): void {
    if (this.#end === this.#numbers.length) this.#makeRoom();
    this.#numbers[this.#end++] = number;
  }

  /** Adds numbers that are below all others. */
  unshift(numbers: Uint32Array): void {
    const all = new Uint32Array(Math.ceil((numbers.length + this.length) * 1.25) + 8);
    all.set(numbers);
    all.set(this.#numbers.subarray(this.#start, this.#end), numbers.length);
    [this.#start, this.#end, this.#numbers] = [0, numbers.length + this.length, all];
  }

  /** Adds numbers wherever they belong. @param numbers ascending, none of them in it */
  merge(numbers: readonly number[]): void {
    const all = new Uint32Array(this.length + numbers.length + 8);
    let end = 0;
    let place = 0;
    for (const number of numbers) {
      while (place < this.length && this.at(place) < number) all[end++] = this.at(place++);
      all[end++] = number;
    }
    while (place < this.length) all[end++] = this.at(place++);
    [this.#start, this.#end, this.#numbers] = [0, end, all];
  }

  removeAll(gone: ReadonlySet<number>): void {
    let end = this.#start;
    for (let at = this.#start; at < this.#end; at++)
      if (!gone.has(this.#numbers[at]!)) this.#numbers[end++] = this.#numbers[at]!;
    this.#end = end;
  }

  removeBelow(number: number): void {
    while (this.#start < this.#end && this.#numbers[this.#start]! < number) this.#start++;
  }

  #makeRoom(): void {
    const kept = this.#numbers.subarray(this.#start, this.#end);
    // What was dropped at the start is room, if it is worth the move.
    const numbers =
      this.#start > this.#numbers.length / 2 ? this.#numbers : new Uint32Array(this.#numbers.length * 1.5);
    numbers.set(kept);
    [this.#start, this.#end, this.#numbers] = [0, kept.length, numbers];
  }
}
