/** One step of a realm's log. */
import type { ChannelId, LogPosition, MessageId, SessionId, UserId } from "../../storage/ids.ts";
import type { Change } from "../../storage/rows.ts";
import type { ChannelSight } from "./access.ts";

/**
 * What the log may carry. The core names no event: `actors/events/events.ts` adds the union of all, with which the core
 * and every noun are then checked.
 */
// biome-ignore lint/suspicious/noEmptyInterface: Whoever declares events adds them.
export interface LogVocabulary {}

/** An event of the log. */
export type RealmEvent = LogVocabulary extends { event: infer E } ? E : { type: string };

/**
 * Who receives an event. It is a rule wherever a list could be long. So writing an entry costs the same in a channel of
 * ten and of a hundred thousand. `recipients.ts` resolves it after the entry's own changes are applied.
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

/** Presence in a log entry. Every node that applies the entry takes it over. */
export interface PresenceChange {
  /** The batch of reports that this answers, so that its node knows when they were applied. */
  batch: string;
  /** User id, last active, last connected: UNIX seconds, 0 for no news. */
  users: [userId: UserId, activeAt: number, idleAt: number][];
}

/** Log-ins of a user that end with an entry: these, or all but perhaps one. */
export interface EndedSessions {
  userId: UserId;
  ids?: SessionId[];
  exceptId?: SessionId;
}

export interface Entry {
  changes?: Change[] | undefined;
  event?: RealmEvent | undefined;
  audience?: Audience | undefined;
  /**
   * How many positions the entry takes. Clients of an older format get that many events for it, each with its own id.
   */
  span?: number | undefined;
  /** Changes of presence. Every node applies them; they are not stored. */
  presence?: PresenceChange | undefined;
  /** Their queues, polls and streams end on every node. */
  endedSessions?: EndedSessions[] | undefined;
  /** Messages that every node reads anew, although no client is told anything of them. */
  reread?: MessageId[] | undefined;
  /** A position without an event: it becomes the id of the heartbeats that answer waiting polls. */
  tick?: true | undefined;
  /** Published only: the log does not have it. */
  isUnstored?: true | undefined;
}

export interface LogEntry extends Entry {
  /** Position in the realm's log, and the event's `id`. */
  position: LogPosition;
  /** Length of its JSON, which counts against every limit in bytes. */
  bytes: number;
  encoded?: Encodings | undefined;
  /** A backlog of nothing but this entry, shared by all queues that have it. Nobody adds to it. */
  alone?: readonly LogEntry[] | undefined;
}

/** The encodings of an event by form. Each is made when the first queue needs it, and shared by all queues. */
export interface Encodings {
  readonly byForm: Map<object | string, Buffer>;
  /** The form that was asked for last. Of many queues in a row most ask for the same. */
  form: object;
  bytes: Buffer;
}

export function bytesOf(entries: readonly LogEntry[]): number {
  let bytes = 0;
  for (const entry of entries) bytes += entry.bytes;
  return bytes;
}
