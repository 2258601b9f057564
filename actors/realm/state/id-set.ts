/**
 * A set of ids in ascending order, in one typed array: four bytes an id, so that a realm's millions of subscriptions
 * fit in memory. Ids are below 2^31.
 */
export class IdSet<Id extends number> {
  #ids: Int32Array;
  #size = 0;
  #revision = 0;

  constructor(ids: Iterable<Id> = []) {
    const sorted = Int32Array.from(ids).sort();
    this.#ids = sorted;
    for (const id of sorted) if (this.#size === 0 || sorted[this.#size - 1] !== id) sorted[this.#size++] = id;
  }

  /** The set of these ids, which must ascend. It takes the array over. */
  static ofAscending<Id extends number>(ids: Int32Array): IdSet<Id> {
    const set = new IdSet<Id>();
    set.#ids = ids;
    set.#size = ids.length;
    return set;
  }

  get size(): number {
    return this.#size;
  }

  /** Grows with each change. */
  get revision(): number {
    return this.#revision;
  }

  /** Where `id` stands, or where it would: `~place` when it is absent. */
  indexOf(id: Id): number {
    const ids = this.#ids;
    let low = 0;
    let high = this.#size - 1;
    if (high < 0 || id > ids[high]!) return ~this.#size;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const found = ids[middle]!;
      if (found < id) low = middle + 1;
      else if (found > id) high = middle - 1;
      else return middle;
    }
    return ~low;
  }

  has(id: Id): boolean {
    return this.indexOf(id) >= 0;
  }

  /** Returns whether the set changed. */
  add(id: Id): boolean {
    // Ids mostly come in order: so they do while a realm is loaded, and new ids are the largest.
    const place = this.#size === 0 || id > this.#ids[this.#size - 1]! ? ~this.#size : this.indexOf(id);
    if (place >= 0) return false;
    if (this.#size === this.#ids.length) {
      const grown = new Int32Array(Math.max(4, this.#size + (this.#size >> 1)));
      grown.set(this.#ids);
      this.#ids = grown;
    }
    if (~place < this.#size) this.#ids.copyWithin(~place + 1, ~place, this.#size);
    this.#ids[~place] = id;
    this.#size++;
    this.#revision++;
    return true;
  }

  /** Returns whether the set changed. */
  delete(id: Id): boolean {
    const place = this.indexOf(id);
    if (place < 0) return false;
    this.#ids.copyWithin(place, place + 1, this.#size);
    this.#size--;
    this.#revision++;
    return true;
  }

  /** The ids in ascending order; a view that the next change invalidates. */
  values(): Int32Array {
    return this.#ids.subarray(0, this.#size);
  }

  toArray(): Id[] {
    // Several times as fast as Array.from, which goes through the iterator.
    const ids = new Array<Id>(this.#size);
    for (let place = 0; place < this.#size; place++) ids[place] = this.#ids[place] as Id;
    return ids;
  }

  [Symbol.iterator](): Iterator<Id> {
    return this.values()[Symbol.iterator]() as Iterator<Id>;
  }
}

/** The value of an absent key. Never changed. */
export const emptyIds: ReadonlyIdSet<never> = new IdSet<never>();
export type ReadonlyIdSet<Id extends number> = Omit<IdSet<Id>, "add" | "delete">;
