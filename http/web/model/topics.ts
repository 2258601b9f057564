/** Topics of channels, newest first. They are fetched when they are shown, and updated by messages. */
import { type Signal, signal } from "@preact/signals";
import { sameTopic } from "../state/unread.ts";
import { call } from "../wire/api.ts";
import type { PageEvent } from "../wire/events.ts";

export interface Topic {
  name: string;
  max_id: number;
}

export class Topics {
  readonly #known = new Map<number, Signal<readonly Topic[] | undefined>>();

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

  async #fetch(channelId: number, into: Signal<readonly Topic[] | undefined>): Promise<void> {
    try {
      const { topics } = await call<{ topics: Topic[] }>("GET", `/users/me/${channelId}/topics`, {
        allow_empty_topic_name: true,
      });
      into.value = topics;
    } catch {
      this.#known.delete(channelId);
    }
  }

  receive(event: PageEvent): void {
    if (event.type === "message") {
      const { message } = event;
      const topics = message.type === "stream" ? this.#known.get(message.stream_id!) : undefined;
      if (!topics?.value) return;
      const others = topics.value.filter(({ name }) => !sameTopic(name, message.subject));
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
