/**
 * A cache of topics that have messages, so that a send into one needs no query. When it is full, the older half is
 * dropped.
 */
import type { ChannelId } from "../../storage/ids.ts";
import { defineMemory } from "../realm/memory.ts";

export class KnownTopics {
  #topics = new Set<string>();
  #older = new Set<string>();
  constructor(private readonly max: number) {}

  has(channelId: ChannelId, topic: string): boolean {
    const key = `${channelId}:${topic.toLowerCase()}`;
    return this.#topics.has(key) || this.#older.has(key);
  }

  add(channelId: ChannelId, topic: string): void {
    if (this.#topics.size >= this.max / 2) {
      this.#older = this.#topics;
      this.#topics = new Set();
    }
    this.#topics.add(`${channelId}:${topic.toLowerCase()}`);
  }

  /** Messages were moved or deleted, so the cache may be wrong. */
  clear(): void {
    this.#topics.clear();
    this.#older.clear();
  }
}

/** Topics that certainly exist. */
export const knownTopics = defineMemory<KnownTopics>({
  name: "known topics",
  load: () => new KnownTopics(50_000),
  termBegins: (topics) => topics.clear(),
  forget: (topics) => topics.clear(),
});
