/** One step of a realm's log. */
import type { ChannelId, LogPosition, UserId } from "../../storage/ids.ts";
import type { Change } from "../../storage/rows.ts";
import type { RealmEvent } from "../events/events.ts";
import type { ChannelSight } from "./access.ts";

/**
 * Who receives an event, as a rule rather than a list wherever the list could be long: writing an entry costs the same
 * in a channel of ten and of a hundred thousand. `recipients.ts` resolves it, after the entry's own changes are
 * applied.
 */
export type Audience = { except?: UserId[] } & (
  | { to: "realm" }
  | { to: "users"; ids: UserId[] }
  /** Subscribed at this position; `also` are bots that a message mentions where they are not subscribed. */
  | { to: "subscribers"; channelId: ChannelId; also?: UserId[] }
  /** May know of the channel. */
  | { to: "channelViewers"; channelId: ChannelId }
  /** May know of the channel now, and could not as it was. */
  | { to: "channelGainers"; channelId: ChannelId; before: ChannelSight }
  /** Could know of the channel as it was, and may not now. */
  | { to: "channelLosers"; channelId: ChannelId; before: ChannelSight }
  /** May know of the user. */
  | { to: "userViewers"; userId: UserId }
  /** Subscribers of either channel who can read what is moved from one into the other. */
  | { to: "moved"; from: ChannelId; into: ChannelId }
  /** Subscribers of the old channel who cannot read it any more. */
  | { to: "movedAway"; from: ChannelId; into: ChannelId }
  /** Everyone but guests. */
  | { to: "members" }
  | { to: "admins" }
);

/** What a log entry says about people: it changes presence on every node that applies it. */
export interface PresenceChange {
  /** The node's batch that this answers, so that the node knows when its reports were applied. */
  batch: string;
  /** User id, last active, last connected: UNIX seconds, 0 for no news. */
  users: [userId: UserId, activeAt: number, idleAt: number][];
}

export interface Entry {
  changes?: Change[];
  event?: RealmEvent;
  audience?: Audience;
  /**
   * How many places the entry takes: clients of an older format get that many events for it, each with an id of its
   * own.
   */
  span?: number;
  /** News of who is here: every node applies it, no disk keeps it. */
  presence?: PresenceChange;
  /** A place taken so that waiting polls can be told they are still heard: the id of their heartbeats. */
  tick?: true;
}

export interface LogEntry extends Entry {
  /** Place in the realm's log, and the event's `id`. */
  position: LogPosition;
  /** Length of its JSON: what it counts for wherever it is kept. */
  bytes: number;
  /** Its encodings by form, each made when the first queue needs it. Shared by all queues that hold the entry. */
  encoded?: Map<object | string, Buffer> | undefined;
}

export function bytesOf(entries: readonly LogEntry[]): number {
  let bytes = 0;
  for (const entry of entries) bytes += entry.bytes;
  return bytes;
}
