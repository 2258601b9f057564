/**
 * A map that keeps its keys in the order of their last use, and finds the oldest at once. A `Map` has an order too. But
 * it passes over every entry that was deleted before it finds the oldest that is left. Where each use moves a key to
 * the end, those are as many as it has entries.
 */

export interface LruEntry<K, V> {
  readonly key: K;
  readonly value: V;
}

interface Link<K, V> {
  key: K;
  value: V;
  older: Link<K, V> | undefined;
  newer: Link<K, V> | undefined;
}

export class LruMap<K, V> {
  readonly #links = new Map<K, Link<K, V>>();
  #oldest: Link<K, V> | undefined;
  #newest: Link<K, V> | undefined;

  get size(): number {
    return this.#links.size;
  }

  get oldest(): LruEntry<K, V> | undefined {
    return this.#oldest;
  }

  has(key: K): boolean {
    return this.#links.has(key);
  }

  /** The value, whose place in the order stays. */
  get(key: K): V | undefined {
    return this.#links.get(key)?.value;
  }

  /** The value, which is the newest from now on. */
  use(key: K): V | undefined {
    const link = this.#links.get(key);
    if (link === undefined) return undefined;
    this.#unlink(link);
    this.#append(link);
    return link.value;
  }

  /** Puts a value, as the newest. */
  set(key: K, value: V): void {
    const known = this.#links.get(key);
    if (known) this.#unlink(known);
    const link: Link<K, V> = known ?? { key, value, older: undefined, newer: undefined };
    if (!known) this.#links.set(key, link);
    link.value = value;
    this.#append(link);
  }

  delete(key: K): boolean {
    const link = this.#links.get(key);
    if (link === undefined) return false;
    this.#unlink(link);
    return this.#links.delete(key);
  }

  clear(): void {
    this.#links.clear();
    this.#oldest = this.#newest = undefined;
  }

  /** In no order. */
  keys(): IterableIterator<K> {
    return this.#links.keys();
  }

  /** All of them, the oldest first. The one that is handed out may be deleted. */
  *[Symbol.iterator](): IterableIterator<LruEntry<K, V>> {
    for (let link = this.#oldest; link; ) {
      const { newer } = link;
      yield link;
      link = newer;
    }
  }

  #append(link: Link<K, V>): void {
    link.older = this.#newest;
    link.newer = undefined;
    if (this.#newest) this.#newest.newer = link;
    else this.#oldest = link;
    this.#newest = link;
  }

  #unlink({ older, newer }: Link<K, V>): void {
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
  }
}
