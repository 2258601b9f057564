/** The list of messages that is shown, by the address. */
import { effect, type Signal, signal } from "@preact/signals";
import type { MessageId } from "../../client/types.ts";
import { keyOf, type Narrow, termOf } from "../wire/narrow.ts";
import type { MessageRange } from "./lists/message-range.ts";
import type { Anchor, MessageLists } from "./message-lists.ts";
import type { Route } from "./route.ts";

export class OpenList {
  readonly list: Signal<MessageRange | undefined> = signal(undefined);
  /** Counts openings. A list that is opened again begins at its target. */
  readonly openings: Signal<number> = signal(0);
  /** Counts what was sent from here to the open list: its end is shown then. */
  readonly ends: Signal<number> = signal(0);
  /** The last message in view. */
  readonly lowest: Signal<MessageId | undefined> = signal(undefined);
  /** Where to scroll to. */
  target: MessageId | "newest" | "oldest" | undefined;
  /** The first message in view. It stays in place when everything is fetched again. */
  topmost: MessageId | undefined;

  constructor(
    private readonly route: Route,
    private readonly lists: MessageLists,
  ) {}

  begin(): void {
    effect(() => {
      const { view, narrow, near } = this.route.place.value;
      if (view === "messages") this.#open(narrow, near);
      else this.list.value = undefined;
    });
  }

  #open(narrow: Narrow, near: MessageId | undefined): void {
    const list = this.lists.open(narrow, near ?? this.#anchorOf(narrow));
    // A list that was open before begins at its first unread message.
    this.target = near ?? (list.status.peek() === "ready" ? this.#firstUnread(list) : undefined);
    this.topmost = undefined;
    this.list.value = list;
    this.openings.value = this.openings.peek() + 1;
  }

  /** Searches begin at the newest message, conversations at the first unread one. */
  #anchorOf(narrow: Narrow): Anchor {
    const searches = ["search", "has", "id"].some((operator) => termOf(narrow, operator));
    const is = termOf(narrow, "is")?.operand;
    return searches || is === "starred" || is === "mentioned" ? "newest" : "first_unread";
  }

  #firstUnread(list: MessageRange): MessageId | "newest" {
    return list.ids.find((id) => !this.lists.cache.get(id)?.flags.includes("read")) ?? "newest";
  }

  /** Shows the end, without opening the list again if it reaches there. */
  showEnd(): void {
    if (this.list.peek()?.hasNewest) this.ends.value++;
    else this.jumpToNewest();
  }

  jumpToNewest(): void {
    this.#jumpToEnd("newest");
  }

  jumpToOldest(): void {
    this.#jumpToEnd("oldest");
  }

  #jumpToEnd(end: "newest" | "oldest"): void {
    const { view, narrow } = this.route.place.peek();
    if (view !== "messages") return;
    this.list.value = this.lists.open(narrow, end);
    this.target = end;
    this.openings.value++;
  }

  /** Shows a message of the open list. If it is far away, the list is fetched around it. */
  jumpTo(id: MessageId): void {
    this.list.value = this.lists.open(this.route.place.peek().narrow, id);
    this.target = id;
    this.openings.value++;
  }

  /** Shows the first message at or after a time. Returns false when there is none. */
  async jumpToDate(at: Date): Promise<boolean> {
    const { narrow } = this.route.place.peek();
    const id = await this.lists.firstSince(narrow, at);
    if (keyOf(narrow) !== keyOf(this.route.place.peek().narrow)) return true;
    if (id !== undefined) this.jumpTo(id);
    return id !== undefined;
  }

  /** Fetches everything again, and keeps the view where it was. */
  again(): void {
    this.target = this.topmost;
    this.lists.reset(this.list.peek(), this.topmost);
  }
}
