/** Walks the index from an anchor outwards: what a narrow shows, as far as conversations and a topic make it up. */
import type { MessageId, RecipientId, UserId } from "../../storage/ids.ts";
import type { Lane } from "../../storage/messages/lanes.ts";
import { includesId, rangeAt } from "../../storage/messages/ranges.ts";
import type { Conversation } from "./conversation.ts";
import type { MessageIndex } from "./message-index.ts";

/** A conversation to walk; without `lane` all of its messages are in the narrow. */
export interface Track {
  conversation: Conversation;
  lane?: Lane | undefined;
}

export interface WalkOptions {
  index: MessageIndex;
  tracks: readonly Track[];
  /** Only topics of these keys. */
  topicKeys?: readonly number[] | undefined;
  /** Only what this person has not read. Every track has a lane. */
  unreadBy?: UserId | undefined;
  /** Whether nothing that fits is older than the index. */
  isWhole?: boolean | undefined;
  /** Whether a topic of a conversation is passed over. */
  isHidden?: ((recipientId: RecipientId, topicKey: number) => boolean) | undefined;
}

/** More messages are not looked at: where few fit, PostgreSQL has an index of them, and a better one of topics. */
const maxSteps = 50_000;
const maxTopicSteps = 10_000;

/**
 * The first `limit` ids below the anchor, the highest first, or above it, the lowest first. Undefined: the index cannot
 * tell.
 */
export function walkFrom(
  { index, tracks, topicKeys, unreadBy, isWhole, isHidden }: WalkOptions,
  anchor: MessageId,
  direction: "before" | "after",
  limit: number,
): MessageId[] | undefined {
  const isBack = direction === "before";
  if (!isBack && anchor + 1 < index.floor && !isWhole) return undefined;
  const heap = new Heap(isBack);
  for (const track of tracks) {
    const { conversation } = track;
    const place = isBack ? index.placeOf(conversation, anchor) - 1 : index.placeOf(conversation, anchor + 1);
    if (place >= 0 && place < conversation.length) heap.push({ track, place, number: conversation.at(place) });
  }
  const ids: MessageId[] = [];
  const most = topicKeys ? maxTopicSteps : maxSteps;
  for (let steps = 0; ids.length < limit; steps++) {
    const head = heap.head;
    if (!head) return isBack && index.floor > 0 && !isWhole ? undefined : ids;
    if (steps === most) return undefined;
    const { track, number } = head;
    if (fits(number, track)) ids.push(index.idAt(number));
    head.place = placeAfter(head);
    if (head.place < 0 || head.place >= track.conversation.length) heap.pop();
    else {
      head.number = track.conversation.at(head.place);
      heap.sink();
    }
  }
  return ids;

  /** Where to look next: what was read is passed over at once. */
  function placeAfter({ place, number, track: { conversation, lane } }: Head): number {
    const read = unreadBy !== undefined && lane ? rangeAt(lane.read, index.idAt(number)) : undefined;
    if (!read) return isBack ? place - 1 : place + 1;
    return isBack ? index.placeOf(conversation, read.first) - 1 : index.placeOf(conversation, read.end);
  }

  function fits(number: number, { conversation, lane }: Track): boolean {
    if (topicKeys && !topicKeys.includes(index.topicKeyAt(number))) return false;
    if (isHidden?.(conversation.recipientId, index.topicKeyAt(number))) return false;
    if (!lane) return true;
    const id = index.idAt(number);
    if (!includesId(lane.received, id)) return false;
    if (unreadBy === undefined) return true;
    return !(index.senderAt(number) === unreadBy && index.isReadBySender(number)) && !includesId(lane.read, id);
  }
}

interface Head {
  track: Track;
  place: number;
  number: number;
}

/** Heads of walks, that with the highest number on top, or the lowest. */
class Heap {
  readonly #heads: Head[] = [];

  constructor(private readonly isHighestFirst: boolean) {}

  get head(): Head | undefined {
    return this.#heads[0];
  }

  push(head: Head): void {
    let place = this.#heads.push(head) - 1;
    for (; place > 0; place = (place - 1) >>> 1) {
      const parent = (place - 1) >>> 1;
      if (!this.#isBefore(this.#heads[place]!, this.#heads[parent]!)) return;
      this.#swap(place, parent);
    }
  }

  pop(): void {
    const last = this.#heads.pop()!;
    if (this.#heads.length === 0) return;
    this.#heads[0] = last;
    this.sink();
  }

  /** Puts the top where it belongs after its number has changed. */
  sink(): void {
    const heads = this.#heads;
    for (let place = 0; ; ) {
      let first = place;
      for (const child of [2 * place + 1, 2 * place + 2])
        if (child < heads.length && this.#isBefore(heads[child]!, heads[first]!)) first = child;
      if (first === place) return;
      this.#swap(place, first);
      place = first;
    }
  }

  #isBefore(one: Head, other: Head): boolean {
    return this.isHighestFirst ? one.number > other.number : one.number < other.number;
  }

  #swap(one: number, other: number): void {
    [this.#heads[one], this.#heads[other]] = [this.#heads[other]!, this.#heads[one]!];
  }
}
