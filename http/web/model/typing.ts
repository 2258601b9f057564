/** Typing notifications, both received and sent. */
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { TypingEvent } from "../../client/events.ts";
import { call } from "../wire/api.ts";
import type { Conversation } from "../wire/narrow.ts";
import { conversationKey } from "./drafts.ts";
import type { Store } from "./store.ts";

type Writers = ReadonlyMap<string, readonly number[]>;

export class Typing {
  /** Ids of the people typing, by conversation: none for whoever does not want to see that. */
  readonly writers: ReadonlySignal<Writers>;
  readonly #received: Signal<Writers> = signal(new Map());
  readonly #expiries = new Map<string, ReturnType<typeof setTimeout>>();
  #told: { conversation: Conversation; at: number } | undefined;
  #stopTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly store: Store) {
    // The server sends none either. What it had sent before is hidden at once.
    const isWanted = () => store.read("settings").user_settings?.["receives_typing_notifications"] !== false;
    this.writers = computed(() => (isWanted() ? this.#received.value : new Map()));
  }

  receive(event: TypingEvent): void {
    const { sender } = event;
    const me = this.store.state.user_id;
    if (sender.user_id === me) return;
    const key = conversationKey(
      event.message_type === "stream"
        ? { kind: "topic", channelId: event.stream_id, topic: event.topic }
        : { kind: "direct", userIds: event.recipients.map((one) => one.user_id).filter((id) => id !== me) },
    );
    this.#set(key, sender.user_id, event.op === "start");
  }

  /** A message of this sender has arrived, so they stopped typing it. */
  arrived(conversation: Conversation, senderId: number): void {
    this.#set(conversationKey(conversation), senderId, false);
  }

  #set(key: string, userId: number, isWriting: boolean): void {
    const others = (this.#received.peek().get(key) ?? []).filter((id) => id !== userId);
    if (!isWriting && others.length === (this.#received.peek().get(key) ?? []).length) return;
    const expiry = `${key} ${userId}`;
    clearTimeout(this.#expiries.get(expiry));
    this.#expiries.delete(expiry);
    const all = new Map(this.#received.peek());
    const now = isWriting ? [...others, userId] : others;
    if (now.length === 0) all.delete(key);
    else all.set(key, now);
    this.#received.value = all;
    if (!isWriting) return;
    const lastsMs = this.store.state.server_typing_started_expiry_period_milliseconds ?? 45_000;
    this.#expiries.set(
      expiry,
      setTimeout(() => this.#set(key, userId, false), lastsMs),
    );
  }

  /** The person is typing. */
  write(conversation: Conversation): void {
    const settings = this.store.state.user_settings ?? {};
    const isTold =
      conversation.kind === "direct"
        ? settings["send_private_typing_notifications"] !== false && conversation.userIds.length > 0
        : settings["send_stream_typing_notifications"] !== false;
    if (!isTold) return;
    const repeatMs = this.store.state.server_typing_started_wait_period_milliseconds ?? 30_000;
    const told = this.#told;
    const isSame = told && conversationKey(told.conversation) === conversationKey(conversation);
    if (!isSame) this.stop();
    if (!isSame || Date.now() - told.at > repeatMs) {
      this.#told = { conversation, at: Date.now() };
      tell(conversation, "start");
    }
    clearTimeout(this.#stopTimer);
    const stopMs = this.store.state.server_typing_stopped_wait_period_milliseconds ?? 12_000;
    this.#stopTimer = setTimeout(() => this.stop(), stopMs);
  }

  stop(): void {
    clearTimeout(this.#stopTimer);
    if (!this.#told) return;
    tell(this.#told.conversation, "stop");
    this.#told = undefined;
  }
}

function tell(conversation: Conversation, op: "start" | "stop"): void {
  const to =
    conversation.kind === "direct"
      ? { type: "direct", to: conversation.userIds }
      : { type: "stream", stream_id: conversation.channelId, topic: conversation.topic };
  // A lost notification does no harm.
  call("POST", "/typing", { op, ...to }).catch(() => {});
}
