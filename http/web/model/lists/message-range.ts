/**
 * The messages of an opened narrow: a range of ids without gaps. It grows at both ends when the person scrolls, and at
 * its newest end by events.
 */
import { type Signal, signal } from "@preact/signals";
import type { Message, MessageId } from "../../../client/types.ts";
import { keyOf, type Narrow, termOf } from "../../wire/narrow.ts";

export class MessageRange {
  readonly key: string;
  /** The only channel of the narrow, if it names one. */
  readonly #channelId: number | undefined;
  /** Ascending. */
  ids: MessageId[] = [];
  hasOldest = false;
  hasNewest = false;
  /** The message at which the list opened: the first unread one, or the requested one. */
  anchor: MessageId | undefined;
  /** The last id of what was fetched at the newest end. Messages after it came by events. */
  fetchedTo: MessageId = 0;
  /** The last message in view, as it was told last. */
  lowest: MessageId | undefined;
  /** Counts changes of the list. */
  readonly version: Signal<number> = signal(0);
  readonly status: Signal<"empty" | "loading" | "ready" | "failed"> = signal("empty");
  readonly error: Signal<string> = signal("");
  /** What is being fetched: messages around the anchor, or more at an end. */
  readonly fetching = new Set<"around" | "before" | "after">();
  /** What a search found, with the searched words marked. Other lists have the same messages without these marks. */
  readonly #matches = new Map<MessageId, { content: string; marked: string }>();

  constructor(readonly narrow: Narrow) {
    this.key = keyOf(narrow);
    const channel = termOf(narrow, "channel")?.operand;
    this.#channelId = typeof channel === "number" ? channel : undefined;
  }

  /** Whether the message may be in the narrow, at a glance: most lists are of other channels. */
  mayHave({ stream_id }: Pick<Message, "stream_id">): boolean {
    return this.#channelId === undefined || this.#channelId === stream_id;
  }

  /** Keeps the marks of fetched messages here. Returns the messages without them. */
  takeMatches(messages: readonly Message[]): Message[] {
    return messages.map(({ match_content: marked, ...message }) => {
      if (marked !== undefined) this.#matches.set(message.id, { content: message.content, marked });
      return message;
    });
  }

  /** A message's content with the searched words marked, unless it was edited since. */
  markedContent({ id, content }: Message): string | undefined {
    const match = this.#matches.get(id);
    return match?.content === content ? match.marked : undefined;
  }

  /** Whether a message with this id would be within the range. */
  covers(id: MessageId): boolean {
    const [first, last] = [this.ids[0], this.ids.at(-1)];
    return (
      (this.hasOldest || (first !== undefined && id >= first)) && (this.hasNewest || (last !== undefined && id <= last))
    );
  }

  /** The end that is farther from the view. */
  get fartherEnd(): "before" | "after" {
    const at = this.lowest === undefined ? this.ids.length : lowerBound(this.ids, this.lowest);
    return at > this.ids.length / 2 ? "before" : "after";
  }

  /** Adds an id. Returns false if it was there already. */
  insert(id: MessageId): boolean {
    const last = this.ids.at(-1);
    if (last === undefined || id > last) {
      this.ids.push(id);
      return true;
    }
    const at = lowerBound(this.ids, id);
    if (this.ids[at] === id) return false;
    this.ids.splice(at, 0, id);
    return true;
  }

  remove(ids: ReadonlySet<MessageId>): boolean {
    const kept = this.ids.filter((id) => !ids.has(id));
    const isChanged = kept.length !== this.ids.length;
    if (isChanged) this.ids = kept;
    return isChanged;
  }
}

/** Where an id is, or would be, among what is sorted by id. */
export function lowerBound<T>(sorted: readonly T[], id: number, idOf: (item: T) => number = Number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (idOf(sorted[middle]!) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
