/**
 * Messages being sent. Each is shown at once. It is sent with an id of its own and the id of its first queue. By these
 * the server recognizes a repeated send, and stores it once.
 */
import { type Signal, signal } from "@preact/signals";
import { persist } from "../../client/persist.ts";
import type { MessageId } from "../../client/types.ts";
import { ApiError, call, wordsOf } from "../wire/api.ts";
import type { Conversation } from "../wire/narrow.ts";

export interface Pending {
  readonly localId: string;
  readonly queueId: string;
  readonly conversation: Conversation;
  readonly content: string;
  readonly at: number;
  /** `waiting`: the server did not answer, and the send is repeated. `failed`: the server refused it. */
  readonly state: "sending" | "waiting" | "failed" | "sent";
  readonly error?: string;
  readonly id?: MessageId;
}

/** The API's parameters of a conversation. */
export function recipientOf(conversation: Conversation): Record<string, unknown> {
  return conversation.kind === "topic"
    ? { type: "channel", to: conversation.channelId, topic: conversation.topic }
    : { type: "direct", to: conversation.userIds };
}

export class Outbox {
  readonly pending: Signal<readonly Pending[]> = signal([]);
  #count = 0;
  readonly #page = Math.random().toString(36).slice(2, 10);

  /**
   * @param isHere whether a message has arrived
   * @param bring brings one of which no event tells, as of a channel that the person has not subscribed to
   */
  constructor(
    private readonly queueId: () => string,
    private readonly isHere: (id: MessageId) => boolean,
    private readonly bring: (id: MessageId, conversation: Conversation) => Promise<void>,
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

  /** Goes on with messages that an earlier page did not get sent. */
  restore(kept: readonly Pending[]): void {
    if (kept.length === 0) return;
    this.pending.value = [...this.pending.peek(), ...kept];
    for (const one of kept) if (one.state !== "failed") void this.#deliver(one);
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

  /** A message of one's own has arrived. */
  arrived(localId: string | undefined, id: MessageId): void {
    const rest = this.pending.peek().filter((one) => one.localId !== localId && one.id !== id);
    if (rest.length !== this.pending.peek().length) this.pending.value = rest;
  }

  /** Everything is fetched again, so sent messages are shown from there. */
  settle(): void {
    this.pending.value = this.pending.peek().filter(({ state }) => state !== "sent");
  }

  #has(localId: string): boolean {
    return this.pending.peek().some((one) => one.localId === localId);
  }

  #change(localId: string, change: Partial<Pending>): void {
    this.pending.value = this.pending.peek().map((one) => (one.localId === localId ? { ...one, ...change } : one));
  }

  async #deliver({ localId, queueId, conversation, content }: Pending): Promise<void> {
    const params = {
      ...recipientOf(conversation),
      content,
      local_id: localId,
      queue_id: queueId,
      read_by_sender: true,
    };
    try {
      // A message that has arrived meanwhile is not sent again.
      const ask = async () => (this.#has(localId) ? call<{ id: MessageId }>("POST", "/messages", params) : undefined);
      const sent = await persist(ask, { onWaiting: () => this.#change(localId, { state: "waiting" }) });
      if (!sent) return;
      if (this.isHere(sent.id)) this.discard(localId);
      else this.#change(localId, { state: "sent", id: sent.id });
      // What cannot be fetched is no failed send.
      void this.bring(sent.id, conversation).catch((error) => {
        if (!(error instanceof ApiError)) throw error;
      });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#change(localId, { state: "failed", error: wordsOf(error) });
    }
  }
}
