/** Recent conversations: fetched when they are first shown, and then kept by events. */
import { type Signal, signal } from "@preact/signals";
import type { ClientEvent, NewMessageEvent } from "../../../client/events.ts";
import { persist } from "../../../client/persist.ts";
import type { MessageId, MessagesAnswer } from "../../../client/types.ts";
import { ApiError, call } from "../../wire/api.ts";
import { type Conversation, conversationOfMessage } from "../../wire/narrow.ts";
import { conversationKey } from "../drafts.ts";
import type { LastWords } from "./last-words.ts";

/** Messages that are searched for conversations. */
const looked = 1000;

export interface RecentConversation {
  key: string;
  conversation: Conversation;
  /** UNIX seconds of the newest message, and its id. */
  at: number;
  lastId: MessageId;
  participants: ReadonlySet<number>;
}

export class RecentConversations {
  /** Newest first; undefined while they are fetched. */
  readonly all: Signal<readonly RecentConversation[] | undefined> = signal(undefined);
  /** Oldest first. */
  readonly #byKey = new Map<string, RecentConversation>();
  #isShown = false;
  #isFetched = false;
  #isFetching = false;
  /** Something changed during a fetch, whose answer may be older. */
  #isStale = false;

  constructor(
    private readonly me: () => number,
    private readonly words: LastWords,
  ) {}

  /** Has them fetched. Returns what to call when they are shown no more. */
  show(): () => void {
    this.#isShown = true;
    if (this.#isFetched) this.#publish();
    else void this.#fetch();
    return () => {
      this.#isShown = false;
    };
  }

  receive(event: ClientEvent): void {
    const isMoved =
      event.type === "update_message" && (event.subject !== undefined || event.new_stream_id !== undefined);
    if (event.type !== "message" && event.type !== "delete_message" && !isMoved) return;
    if (this.#isFetching) this.#isStale = true;
    else if (event.type !== "message") this.forget();
    else if (this.#isFetched) {
      this.#add(event.message);
      if (this.#isShown) this.#publish();
    }
  }

  /** Drops them, as they may be out of date. They are fetched again when they are shown. */
  forget(): void {
    this.#isFetched = false;
    if (this.#isShown) void this.#fetch();
  }

  #add(message: NewMessageEvent["message"]): void {
    const conversation = conversationOfMessage(message, this.me());
    const key = conversationKey(conversation);
    const before = this.#byKey.get(key);
    const participants = new Set(before?.participants).add(message.sender_id);
    this.#byKey.delete(key);
    this.#byKey.set(key, { key, conversation, at: message.timestamp, lastId: message.id, participants });
    if (before) this.words.forget(before.lastId);
    this.words.learn(message);
  }

  #publish(): void {
    this.all.value = [...this.#byKey.values()].reverse();
  }

  async #fetch(): Promise<void> {
    if (this.#isFetching) {
      this.#isStale = true;
      return;
    }
    this.#isFetching = true;
    try {
      do {
        this.#isStale = false;
        const params = {
          anchor: "newest",
          num_before: looked,
          num_after: 0,
          narrow: [],
          client_gravatar: true,
          allow_empty_topic_name: true,
        };
        const { messages } = await persist(() => call<MessagesAnswer>("GET", "/messages", params));
        this.#byKey.clear();
        for (const message of messages) this.#add(message);
        this.#isFetched = true;
        this.#publish();
      } while (this.#isStale);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#publish();
    } finally {
      this.#isFetching = false;
    }
  }
}
