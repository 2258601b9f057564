/**
 * Channels with their subscribers as JSON text. A register may list the subscribers of every channel, and the list is
 * the same for everybody. It is made again only when somebody subscribes, unsubscribes, is deactivated or returns.
 *
 * Clients may ask for a part of the subscribers of a large channel: bots, and people who were here lately. Who that is
 * changes slowly, and is looked at again once a minute.
 */

import type { UserId } from "../../storage/ids.ts";
import type { ChannelRow } from "../../storage/rows.ts";
import { presenceMemory } from "../presence/memory.ts";
import { type Memories, memoryOf } from "../realm/memory.ts";
import type { RealmState } from "../realm/state/state.ts";
import type { SubscriberFields } from "../subscriptions/shapes.ts";
import type { Piece } from "../text/json-text.ts";

/** Below so many subscribers `partial` gives them all. https://zulip.com/api/register-queue */
const alwaysWholeBelow = 250;
/** People who were here within these seconds are in `partial_subscribers`: 14 days. */
const recentSecs = 14 * 86_400;
const lookAgainSecs = 60;
/** Shorter text costs less to copy than to be a piece of its own. */
const minPieceLength = 8 * 1024;

/** What tells who was here lately. */
interface SubscriberRealm {
  readonly state: RealmState;
  readonly memories: Memories;
  readonly environment: { clock(): number; steady(): number };
}

/** Which subscribers are wanted. */
export type WantedSubscribers = "true" | "partial";

interface Kept {
  text: string;
  subscribers: number;
  recent: number;
  piece: Piece;
}

export class SubscriberText {
  /** By row: a changed channel has a new row. */
  readonly #kept = { true: new WeakMap<ChannelRow, Kept>(), partial: new WeakMap<ChannelRow, Kept>() };
  #recent: ReadonlySet<UserId> = new Set();
  /** Grows as others come to be, or to be no more, among those who were here lately. */
  #recentRevision = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** A channel's `subscribers`, or `partial_subscribers`. */
  fieldsOf(realm: SubscriberRealm, channel: ChannelRow, wanted: WantedSubscribers): SubscriberFields {
    const subscribers = realm.state.subscriptions.activeSubscribers(channel.id);
    if (wanted === "true" || subscribers.length < alwaysWholeBelow) return { subscribers };
    this.#lookAtPresence(realm);
    const { users } = realm.state;
    return { partial_subscribers: subscribers.filter((id) => this.#recent.has(id) || users.get(id)?.is_bot) };
  }

  /**
   * A channel's record with its subscribers, after a comma and without the brace that ends it.
   * @param text the record as `ChannelText` has it
   */
  open(realm: SubscriberRealm, channel: ChannelRow, text: string, wanted: WantedSubscribers): Piece {
    const subscribers = realm.state.subscriptions.revisionOf(channel.id);
    if (wanted === "partial") this.#lookAtPresence(realm);
    const recent = wanted === "partial" ? this.#recentRevision : 0;
    const kept = this.#kept[wanted].get(channel);
    if (kept?.subscribers === subscribers && kept.recent === recent && kept.text === text) return kept.piece;
    const fields = JSON.stringify(this.fieldsOf(realm, channel, wanted));
    const opened = `,${text.slice(0, -1)},${fields.slice(1, -1)}`;
    // The memory of each piece is its own: gzip keeps what it made of one by its memory.
    const piece = opened.length < minPieceLength ? opened : new TextEncoder().encode(opened);
    this.#kept[wanted].set(channel, { text, subscribers, recent, piece });
    return piece;
  }

  #lookAtPresence(realm: SubscriberRealm): void {
    const { state, environment } = realm;
    if (environment.steady() - this.#lookedAt < lookAgainSecs) return;
    this.#lookedAt = environment.steady();
    const since = environment.clock() - recentSecs;
    const recent = new Set<UserId>();
    const presence = memoryOf(realm, presenceMemory);
    for (const user of state.users.values()) if (presence.wasHere(user, since)) recent.add(user.id);
    if (recent.size === this.#recent.size && [...recent].every((id) => this.#recent.has(id))) return;
    this.#recent = recent;
    this.#recentRevision++;
  }
}
