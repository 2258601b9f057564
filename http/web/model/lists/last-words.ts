/** What was said last in conversations, for lists of these. Asked for when it is shown, many at once. */
import { type Signal, signal } from "@preact/signals";
import type { ClientEvent } from "../../../client/events.ts";
import type { MessageId, MessagesAnswer, SentMessage } from "../../../client/types.ts";
import { ApiError, call } from "../../wire/api.ts";

export interface Words {
  senderId: number;
  /** HTML of the message. */
  content: string;
  /** UNIX seconds. */
  at: number;
}

/** More rows than anybody looks at; the oldest are dropped. */
const maxKept = 2000;
/** Messages of one request. */
const maxAsked = 200;

export class LastWords {
  readonly #known = new Map<MessageId, Signal<Words | undefined>>();
  #asked: MessageId[] = [];

  /** Of a message; undefined until they are here, and when the message is gone. */
  of(id: MessageId): Words | undefined {
    const known = this.#known.get(id);
    if (known) return known.value;
    this.#asked.push(id);
    // All rows of a view ask before that.
    if (this.#asked.length === 1) setTimeout(() => void this.#fetch());
    return this.#hold(id).value;
  }

  learn({ id, sender_id, content, timestamp }: SentMessage): void {
    this.#hold(id).value = { senderId: sender_id, content, at: timestamp };
  }

  forget(id: MessageId): void {
    this.#known.delete(id);
  }

  receive(event: ClientEvent): void {
    if (event.type === "update_message" && event.rendered_content !== undefined) {
      const known = this.#known.get(event.message_id);
      if (known?.value) known.value = { ...known.value, content: event.rendered_content };
    } else if (event.type === "delete_message") for (const id of event.message_ids) this.forget(id);
  }

  #hold(id: MessageId): Signal<Words | undefined> {
    let held = this.#known.get(id);
    if (held) return held;
    this.#known.set(id, (held = signal(undefined)));
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxKept && oldest !== undefined) this.#known.delete(oldest);
    return held;
  }

  async #fetch(): Promise<void> {
    const ids = this.#asked.splice(0, maxAsked);
    const params = { message_ids: ids, client_gravatar: true, allow_empty_topic_name: true };
    try {
      const { messages } = await call<MessagesAnswer>("GET", "/messages", params);
      for (const message of messages) this.learn(message);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // They are asked for again with the next row.
      for (const id of ids) if (!this.#known.get(id)?.peek()) this.forget(id);
    }
    if (this.#asked.length > 0) await this.#fetch();
  }
}
