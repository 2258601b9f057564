/**
 * Drafts by conversation. The browser stores each keystroke, so that a crash or a lost connection loses nothing. A
 * moment later the draft is stored on the server, and so on the person's other clients.
 */
import { type Signal, signal } from "@preact/signals";
import { pause } from "../../client/pause.ts";
import type { Draft, ScheduledMessage } from "../../client/types.ts";
import { kept, namedTextsOf } from "../kept.ts";
import { ApiError, call } from "../wire/api.ts";
import type { Conversation } from "../wire/narrow.ts";
import type { Store } from "./store.ts";
import { peopleKey } from "./unread.ts";

const saveAfterMs = 1500;
const retryMs = 5000;
const storageKey = "parley.drafts";
/** Shorter texts are not stored on the server. */
const minLength = 3;

export const conversationKey = (conversation: Conversation): string =>
  conversation.kind === "topic"
    ? `t:${conversation.channelId}:${conversation.topic.toLowerCase()}`
    : `d:${peopleKey(conversation.userIds)}`;

export class Drafts {
  /** Texts of this browser, by conversation. */
  readonly #texts = new Map<string, string>();
  /** Ids of the drafts on the server, by conversation. */
  readonly #ids = new Map<string, number>();
  /** Conversations whose draft may have been created by a request without an answer. */
  readonly #isUnsure = new Set<string>();
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  /** Saves run one after another, so that no draft is created twice. */
  #last: Promise<void> = Promise.resolve();
  /** Counts changes by other clients. */
  readonly version: Signal<number> = signal(0);

  constructor(private readonly store: Store) {
    for (const [key, text] of namedTextsOf(kept(storageKey))) this.#texts.set(key, text);
  }

  get all(): readonly Draft[] {
    return this.store.read("personal").drafts ?? [];
  }

  textOf(conversation: Conversation): string {
    const key = conversationKey(conversation);
    const typed = this.#texts.get(key);
    if (typed !== undefined) return typed;
    const draft = this.all.find((one) => keyOfDraft(one, this.store.state.user_id ?? -1) === key);
    if (draft) this.#ids.set(key, draft.id);
    return draft?.content ?? "";
  }

  type(conversation: Conversation, text: string): void {
    const key = conversationKey(conversation);
    if (text === "") this.#texts.delete(key);
    else this.#texts.set(key, text);
    this.#keep();
    clearTimeout(this.#timers.get(key));
    this.#timers.set(
      key,
      setTimeout(() => this.#save(conversation), saveAfterMs),
    );
  }

  /** Removes the draft of a sent message. */
  finish(conversation: Conversation): void {
    this.type(conversation, "");
    this.#save(conversation);
  }

  remove(draft: Draft): Promise<unknown> {
    const key = keyOfDraft(draft, this.store.state.user_id ?? -1);
    this.#texts.delete(key);
    this.#ids.delete(key);
    this.#keep();
    this.version.value++;
    return call("DELETE", `/drafts/${draft.id}`);
  }

  /** Changes a draft where it is listed. @throws ApiError */
  async change(draft: Draft, content: string): Promise<void> {
    const key = keyOfDraft(draft, this.store.state.user_id ?? -1);
    // The text that this browser has for the conversation may be of another draft.
    if (this.#texts.has(key) && (this.#ids.get(key) ?? draft.id) === draft.id) {
      clearTimeout(this.#timers.get(key));
      this.#texts.set(key, content);
      this.#keep();
    }
    const { type, to, topic } = draft;
    const changed = { type, to, topic, content, timestamp: Math.floor(Date.now() / 1000) };
    await call("PATCH", `/drafts/${draft.id}`, { draft: changed });
  }

  #keep(): void {
    try {
      localStorage.setItem(storageKey, JSON.stringify(Object.fromEntries(this.#texts)));
    } catch {
      // Storage is full or forbidden. The server stores the draft a moment later.
    }
  }

  #save(conversation: Conversation): void {
    clearTimeout(this.#timers.get(conversationKey(conversation)));
    this.#last = this.#last.then(() => this.#saveNow(conversation)).catch(() => {});
  }

  async #saveNow(conversation: Conversation): Promise<void> {
    const key = conversationKey(conversation);
    const text = this.#texts.get(key) ?? "";
    try {
      if (this.#isUnsure.has(key)) await this.#find(key);
      const id = this.#ids.get(key);
      if (text.trim().length < minLength) {
        if (id === undefined) return;
        this.#ids.delete(key);
        await call("DELETE", `/drafts/${id}`);
        return;
      }
      const draft = {
        type: conversation.kind === "topic" ? "stream" : "private",
        to: conversation.kind === "topic" ? [conversation.channelId] : conversation.userIds,
        topic: conversation.kind === "topic" ? conversation.topic : "",
        content: text,
        timestamp: Math.floor(Date.now() / 1000),
      };
      if (id !== undefined) await call("PATCH", `/drafts/${id}`, { draft });
      else {
        const { ids } = await call<{ ids: number[] }>("POST", "/drafts", { drafts: [draft] });
        for (const created of ids) this.#ids.set(key, created);
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // Another client deleted the draft: the next save creates a new one.
      if (error.status === 404) this.#ids.delete(key);
      if (!error.isPassing) return;
      // The server may have stored it and not said so.
      this.#isUnsure.add(key);
      void pause(retryMs).then(() => this.#save(conversation));
    }
  }

  /** Looks for the draft of a conversation on the server. @throws ApiError */
  async #find(key: string): Promise<void> {
    const { drafts } = await call<{ drafts: Draft[] }>("GET", "/drafts");
    const found = drafts.find((draft) => keyOfDraft(draft, this.store.state.user_id ?? -1) === key);
    if (found) this.#ids.set(key, found.id);
    else this.#ids.delete(key);
    this.#isUnsure.delete(key);
  }
}

export function conversationOfDraft(draft: Draft): Conversation | undefined {
  const [channelId, ...others] = draft.to;
  if (draft.type === "stream" && channelId !== undefined && others.length === 0)
    return { kind: "topic", channelId, topic: draft.topic };
  return draft.type === "private" ? { kind: "direct", userIds: draft.to } : undefined;
}

export const conversationOfScheduled = ({ type, to, topic = "" }: ScheduledMessage): Conversation =>
  type === "stream"
    ? { kind: "topic", channelId: typeof to === "number" ? to : to[0]!, topic }
    : { kind: "direct", userIds: [to].flat() };

function keyOfDraft(draft: Draft, me: number): string {
  const conversation = conversationOfDraft(draft);
  if (!conversation) return "";
  if (conversation.kind === "topic") return conversationKey(conversation);
  return `d:${peopleKey(conversation.userIds.filter((id) => id !== me))}`;
}
