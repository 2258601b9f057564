/**
 * Time-outs of many things with one timer: a bucket for each second. When an item's bucket is due the item may ask for
 * a later one, so the ordinary case (a poll came in time) moves nothing.
 */
export class TimerWheel<T> {
  readonly #buckets = new Map<number, T[]>();
  #swept: number;

  /** @param now UNIX seconds: earlier buckets count as swept */
  constructor(now: number) {
    this.#swept = Math.floor(now);
  }

  /** Has `item` come up at the first sweep at or after `at` (UNIX seconds). */
  schedule(item: T, at: number): void {
    const second = Math.max(Math.ceil(at), this.#swept + 1);
    const bucket = this.#buckets.get(second);
    if (bucket) bucket.push(item);
    else this.#buckets.set(second, [item]);
  }

  /**
   * Hands out what is due, a slice at a time, so that a crowded second does not hold up the event loop.
   * Returns false when `limit` was reached and more is due.
   */
  sweep(now: number, limit: number, visit: (item: T) => void): boolean {
    let left = limit;
    while (this.#swept < Math.floor(now)) {
      const bucket = this.#buckets.get(this.#swept + 1);
      if (bucket) {
        while (bucket.length > 0) {
          if (left-- === 0) return false;
          visit(bucket.pop()!);
        }
        this.#buckets.delete(this.#swept + 1);
      }
      this.#swept++;
    }
    return true;
  }
}
