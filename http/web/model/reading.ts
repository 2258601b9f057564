/** Marks messages as read that were in view: nothing lay over them, and the page had the focus. */

import { persist } from "../../client/persist.ts";
import type { MessageCache } from "../../client/state/message-cache.ts";
import type { MessageId } from "../../client/types.ts";
import { call } from "../wire/api.ts";

/** Messages are reported together after this delay. */
const delayMs = 300;

export class Reading {
  readonly #pending = new Set<MessageId>();
  /** Reported, but not confirmed by an event yet. */
  readonly #told = new Set<MessageId>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What the open list shows, whether or not anybody can see that. */
  #shown: readonly MessageId[] = [];
  #staysUnread = (): boolean => false;
  /** After marking messages unread by hand, nothing is marked read until the person opens something else. */
  isPaused = false;

  /** @param isCovered whether something lies over the open list */
  constructor(
    private readonly cache: MessageCache,
    private readonly isCovered: () => boolean,
  ) {
    // Closing the page still reports what was just seen.
    addEventListener("pagehide", () => this.#send(true));
    addEventListener("focus", () => this.look());
    document.addEventListener("visibilitychange", () => this.look());
  }

  /**
   * Says what the open list shows from now on; nothing when there is none.
   *
   * @param staysUnread whether the person marks this list by hand
   */
  show(ids: readonly MessageId[], staysUnread = () => false): void {
    this.#shown = ids;
    this.#staysUnread = staysUnread;
    this.look();
  }

  /** Looks again at what is shown, as nothing may lie over it any more. */
  look(): void {
    this.see(this.#shown);
  }

  see(ids: readonly MessageId[]): void {
    if (this.isPaused || document.visibilityState !== "visible" || !document.hasFocus()) return;
    if (this.isCovered() || this.#staysUnread()) return;
    for (const id of ids) {
      const message = this.cache.get(id);
      if (message && !message.flags.includes("read") && !this.#told.has(id)) this.#pending.add(id);
    }
    if (this.#pending.size > 0) this.#timer ??= setTimeout(() => this.#send(), delayMs);
  }

  #send(isLast = false): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const messages = [...this.#pending];
    this.#pending.clear();
    if (messages.length === 0) return;
    for (const id of messages) this.#told.add(id);
    const report = () => call("POST", "/messages/flags", { messages, op: "add", flag: "read" }, { keepalive: isLast });
    persist(report)
      .catch(() => {})
      // A message whose report was refused is reported when it is seen again.
      .finally(() => {
        for (const id of messages) this.#told.delete(id);
      });
  }
}
