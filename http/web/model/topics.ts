/** Topics of channels, newest first. They are fetched when they are shown, and updated by messages. */
import { type Signal, signal } from "@preact/signals";
import type { ClientEvent } from "../../client/events.ts";
import { persist } from "../../client/persist.ts";
import { sameTopic } from "../../client/state/unread.ts";
import { ApiError, call } from "../wire/api.ts";

export interface Topic {
  name: string;
  max_id: number;
}

export class Topics {
  readonly #known = new Map<number, Signal<readonly Topic[] | undefined>>();
  /** How many lists were fetched. */
  readonly fetched: Signal<number> = signal(0);
  readonly #fetching = new Set<number>();
  /** Channels whose topics changed while they were fetched. */
  readonly #stale = new Set<number>();

  /** The topics that were fetched, by channel. */
  get listed(): (readonly [channelId: number, topics: readonly Topic[]])[] {
    return [...this.#known].flatMap(([id, topics]) => (topics.value ? [[id, topics.value] as const] : []));
  }

  /** Undefined while they are fetched. */
  of(channelId: number): readonly Topic[] | undefined {
    let topics = this.#known.get(channelId);
    if (!topics) {
      topics = signal(undefined);
      this.#known.set(channelId, topics);
      void this.#fetch(channelId, topics);
    }
    return topics.value;
  }

  /** Fetches topics. What changes meanwhile has them fetched again: the answer may be older. */
  async #fetch(channelId: number, into: Signal<readonly Topic[] | undefined>): Promise<void> {
    if (this.#fetching.has(channelId)) {
      this.#stale.add(channelId);
      return;
    }
    this.#fetching.add(channelId);
    try {
      do {
        this.#stale.delete(channelId);
        const params = { allow_empty_topic_name: true };
        const ask = () => call<{ topics: Topic[] }>("GET", `/users/me/${channelId}/topics`, params);
        const { topics } = await persist(ask);
        into.value = topics;
        this.fetched.value++;
      } while (this.#stale.has(channelId));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#known.delete(channelId);
    } finally {
      this.#fetching.delete(channelId);
    }
  }

  receive(event: ClientEvent): void {
    if (event.type === "message") {
      const { message } = event;
      if (message.type !== "stream") return;
      const topics = this.#known.get(message.stream_id);
      if (!topics) return;
      if (this.#fetching.has(message.stream_id)) this.#stale.add(message.stream_id);
      if (!topics.value) return;
      // The newest topic is first, and the likeliest.
      const at = topics.value.findIndex(({ name }) => sameTopic(name, message.subject));
      const others = at < 0 ? topics.value : topics.value.toSpliced(at, 1);
      topics.value = [{ name: message.subject, max_id: message.id }, ...others];
    } else if (event.type === "update_message" && (event.subject !== undefined || event.new_stream_id !== undefined)) {
      this.#refetch(event.stream_id);
      this.#refetch(event.new_stream_id);
    } else if (event.type === "delete_message") this.#refetch(event.stream_id);
  }

  /** Drops the topics, which may be out of date. They are fetched again when they are shown. */
  forget(): void {
    for (const [channelId, topics] of this.#known) void this.#fetch(channelId, topics);
  }

  #refetch(channelId: number | undefined): void {
    if (channelId === undefined) return;
    const topics = this.#known.get(channelId);
    if (topics) void this.#fetch(channelId, topics);
  }
}
