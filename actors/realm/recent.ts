/** The newest stretch of a realm's log, in memory: what most queues that come back need. Bounded by entries and bytes. */
import type { LogEntry } from "./entry.ts";

export class RecentLog {
  #entries: LogEntry[] = [];
  #first = 0;

  /** @param floor nothing at or before this position is held */
  constructor(
    private readonly maxEntries: number,
    public floor: number,
  ) {}

  push(entry: LogEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length - this.#first > this.maxEntries) {
      this.floor = this.#entries[this.#first]!.position;
      this.#entries[this.#first] = undefined as never;
      this.#first++;
      // Dropping the head one by one would move the whole array each time.
      if (this.#first > this.maxEntries) {
        this.#entries = this.#entries.slice(this.#first);
        this.#first = 0;
      }
    }
  }

  /** Entries after `position`, ascending; only complete when `position` is at or above `floor`. */
  after(position: number): LogEntry[] {
    let low = this.#first;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#entries[middle]!.position <= position) low = middle + 1;
      else high = middle;
    }
    return this.#entries.slice(low);
  }

  /** Holds nothing any more. */
  shed(): void {
    this.floor = this.#entries.at(-1)?.position ?? this.floor;
    this.#entries = [];
    this.#first = 0;
  }
}
