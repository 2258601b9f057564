/**
 * The newest stretch of a realm's log, in memory. Most returning queues need no more. It is bounded by entries and
 * bytes.
 */
import type { LogPosition } from "../../storage/ids.ts";
import type { LogEntry } from "./entry.ts";

export interface RecentLimits {
  entries: number;
  bytes: number;
}

/** Encoded forms are kept for the newest entries only, up to this share of the bytes: an entry may have many. */
const encodedShare = 1 / 8;

export class RecentLog {
  #entries: LogEntry[] = [];
  #first = 0;
  #bytes = 0;
  /** The first entry that may have encoded forms, and the bytes from there on. */
  #firstEncoded = 0;
  #encodedBytes = 0;

  /** @param floor nothing at or before this position is held */
  constructor(
    private readonly limits: RecentLimits,
    public floor: LogPosition,
  ) {}

  get bytes(): number {
    return this.#bytes;
  }

  push(entry: LogEntry): void {
    this.#entries.push(entry);
    this.#bytes += entry.bytes;
    this.#encodedBytes += entry.bytes;
    const { entries, bytes } = this.limits;
    while (this.#encodedBytes > bytes * encodedShare && this.#firstEncoded < this.#entries.length - 1) {
      const old = this.#entries[this.#firstEncoded++]!;
      this.#encodedBytes -= old.bytes;
      old.encoded = undefined;
      old.alone = undefined;
    }
    while (this.#entries.length - this.#first > entries || this.#bytes > bytes) this.#drop();
  }

  /** Entries after `position`, ascending; only complete when `position` is at or above `floor`. */
  after(position: LogPosition): LogEntry[] {
    let low = this.#first;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#entries[middle]!.position <= position) low = middle + 1;
      else high = middle;
    }
    return this.#entries.slice(low);
  }

  /** Drops everything. */
  shed(): void {
    this.floor = this.#entries.at(-1)?.position ?? this.floor;
    this.#entries = [];
    this.#first = 0;
    this.#bytes = 0;
    this.#firstEncoded = 0;
    this.#encodedBytes = 0;
  }

  #drop(): void {
    const oldest = this.#entries[this.#first]!;
    this.floor = oldest.position;
    this.#bytes -= oldest.bytes;
    this.#entries[this.#first] = undefined as never;
    if (this.#firstEncoded === this.#first) {
      this.#encodedBytes -= oldest.bytes;
      this.#firstEncoded++;
    }
    this.#first++;
    // Dropping the head one by one would move the whole array each time.
    if (this.#first > this.limits.entries) {
      this.#entries = this.#entries.slice(this.#first);
      this.#firstEncoded -= this.#first;
      this.#first = 0;
    }
  }
}
