/**
 * Messages on their way. Each is shown at once and sent with an id of its own under the queue that was there then, so
 * the server knows one that comes again: however often it is tried, it is there once.
 */
import { type Signal, signal } from "@preact/signals";
import type { Conversation } from "../state/narrow.ts";
import { ApiError, call } from "../wire/api.ts";
import { pause } from "../wire/pause.ts";
import type { MessageId } from "../wire/types.ts";

export interface Pending {
  readonly localId: string;
  readonly queueId: string;
  readonly conversation: Conversation;
  readonly content: string;
  readonly at: number;
  /** `waiting`: the server does not answer, and it is tried again. `failed`: the server said no. */
  readonly state: "sending" | "waiting" | "failed" | "sent";
  readonly error?: string;
  readonly id?: MessageId;
}

const firstRetryMs = 1000;
const maxRetryMs = 20_000;

/** What the API calls a conversation. */
export function recipientOf(conversation: Conversation): Record<string, unknown> {
  return conversation.kind === "topic"
    ? { type: "channel", to: conversation.channelId, topic: conversation.topic }
    : { type: "direct", to: conversation.userIds };
}

export class Outbox {
  readonly pending: Signal<readonly Pending[]> = signal([]);
  #count = 0;
  readonly #page = Math.random().toString(36).slice(2, 10);

  /** @param isHere whether a message has come in by now */
  constructor(
    private readonly queueId: () => string,
    private readonly isHere: (id: MessageId) => boolean,
  ) {}

  send(conversation: Conversation, content: string): void {
    const localId = `${this.#page}.${++this.#count}`;
    const pending: Pending = {
      localId,
      queueId: this.queueId(),
      conversation,
      content,
      at: Date.now() / 1000,
      state: "sending",
    };
    this.pending.value = [...this.pending.value, pending];
    void this.#deliver(pending);
  }

  retry(localId: string): void {
    const pending = this.pending.peek().find((one) => one.localId === localId);
    if (!pending) return;
    this.#change(localId, { state: "sending" });
    void this.#deliver(pending);
  }

  discard(localId: string): void {
    this.pending.value = this.pending.value.filter((one) => one.localId !== localId);
  }

  /** A message of one's own has come in. */
  arrived(localId: string | undefined, id: MessageId): void {
    const rest = this.pending.peek().filter((one) => one.localId !== localId && one.id !== id);
    if (rest.length !== this.pending.peek().length) this.pending.value = rest;
  }

  /** Everything is fetched anew, so what was sent is among it. */
  settle(): void {
    this.pending.value = this.pending.peek().filter(({ state }) => state !== "sent");
  }

  #change(localId: string, change: Partial<Pending>): void {
    this.pending.value = this.pending.peek().map((one) => (one.localId === localId ? { ...one, ...change } : one));
  }

  async #deliver({ localId, queueId, conversation, content }: Pending): Promise<void> {
    for (let failures = 0; ; failures++) {
      try {
        const { id } = await call<{ id: MessageId }>("POST", "/messages", {
          ...recipientOf(conversation),
          content,
          local_id: localId,
          queue_id: queueId,
          read_by_sender: true,
        });
        if (this.isHere(id)) this.discard(localId);
        else this.#change(localId, { state: "sent", id });
        return;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (!error.isPassing) {
          this.#change(localId, { state: "failed", error: error.message });
          return;
        }
        this.#change(localId, { state: "waiting" });
        const asked = (error.retryAfterSecs ?? 0) * 1000;
        await pause(Math.max(asked, Math.min(maxRetryMs, firstRetryMs * 2 ** failures)));
        if (!this.pending.peek().some((one) => one.localId === localId)) return;
      }
    }
  }
}
