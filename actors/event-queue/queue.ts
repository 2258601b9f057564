/**
 * One event queue: a cursor on the realm's log. It has references to the entries that its client has not acknowledged,
 * and at most one parked poll or open stream. It knows neither sockets nor storage: both are a `Waiter` that takes
 * bytes.
 */

import type { LogPosition, RealmId, SessionId, UserId } from "../../storage/ids.ts";
import type { KeyScope } from "../../storage/users/sessions.ts";
import type { Capability } from "../events/capabilities.ts";
import type { MessageForm, Reader } from "../events/form.ts";
import { encodeFor } from "../events/forms.ts";
import type { Registration } from "../events/registration.ts";
import type { LogEntry } from "../realm/entry.ts";
import { bytesOf } from "../realm/entry.ts";
import type { RealmState } from "../realm/state/state.ts";
import type { AnswerBuffer } from "./answer-buffer.ts";
import type { QueueFilter } from "./filter.ts";
import type { EventQueueState } from "./machine.ts";
import type { QueueProfile } from "./profile.ts";
import type { StreamBuffer } from "./stream-buffer.ts";

/**
 * A poll that waits. `answer` is called once, in a later tick. The bytes are the whole JSON body, and are valid only
 * until it returns.
 */
export interface Poll {
  readonly isStream: false;
  /** The log-in that it came by. Undefined: it came by key. */
  readonly sessionId?: SessionId | undefined;
  answer(body: Uint8Array): void;
}

/**
 * A connection that takes events as they come, until it is ended or cut. The bytes of a write are valid only until it
 * returns.
 */
export interface Stream {
  readonly isStream: true;
  /** The log-in that it came by. Undefined: it came by key. */
  readonly sessionId?: SessionId | undefined;
  /** The client has not read what it was sent. Nothing more is written until it has. */
  readonly isBehind: boolean;
  /** It was behind when the last heartbeat was due. Set by `FanOut`, and cleared when it is not behind any more. */
  isStuck: boolean;
  /** UNIX seconds, set by `EventQueues`. */
  openedAt: number;
  open(): void;
  /** Events in the format of a stream, or a comment. Afterwards `isBehind` may hold. */
  write(bytes: Uint8Array): void;
  /** Ends it after all that was written. */
  end(): void;
  /** Drops the connection, with what its client has not taken. */
  cut(): void;
}

/** What waits for a queue's events. */
export type Waiter = Poll | Stream;

/** The log-in by which a browser's request came. */
export interface Session {
  readonly id: SessionId;
  readonly userId: UserId;
  readonly tokenHash: Buffer;
  /** Where the log was before the log-in was found: it may have been ended by a later entry. */
  readonly checkedAt: LogPosition;
}

/** A further API key of an account. Like a log-in it has an id, and what was opened through it ends with it. */
export interface FurtherKey extends Session {
  readonly scope: KeyScope;
  /** UNIX seconds */
  readonly expiresAt: number;
}

/** An account, and the request header that proved to be it. */
export interface Credential {
  readonly authorization: string;
  readonly realmId: RealmId;
  readonly userId: UserId;
  /**
   * The account's `api_key_version` when the header was looked up. A different one means that the key is no longer
   * valid.
   */
  readonly version: number;
  /** Whether the account is an incoming-webhook bot, which may not poll. */
  readonly onlySends: boolean;
  /** Undefined: it is the account's own key. */
  readonly key?: FurtherKey | undefined;
}

/** Bytes of events that are written to a stream at a time. About so much is kept for a client that does not read. */
const maxWriteBytes = 64 * 1024;

/** The backlog that all empty queues share. */
const nothing: readonly LogEntry[] = Object.freeze([]);

export class EventQueue implements Reader {
  /** Set by `FanOut.step` alone. */
  state: EventQueueState = "unborn";
  readonly registration: Registration;
  readonly has: ReadonlySet<Capability>;
  readonly messageForm: MessageForm;
  readonly filter: QueueFilter;
  /** Delivered, not yet acknowledged, and to be delivered; ascending. */
  backlog: readonly LogEntry[] = nothing;
  backlogBytes = 0;
  parked: Waiter | undefined;
  /** When the parked poll began, or the stream's last heartbeat was sent. */
  parkedAt = 0;
  /** The credential of its polls. Comparing it is cheaper than looking up the key. */
  credential: Credential | undefined;
  /** The log-in that registered it, with which it ends. */
  sessionId: SessionId | undefined;
  /** Whether it is in the list of queues to answer at the end of this tick. */
  due = false;
  /** The claim on its row with which this node took it over. */
  claim = 0;
  /** `seenAt` as saved in its row. */
  savedSeenAt: number;
  /** When the sweep visits it next, UNIX seconds. */
  checkAt = 0;

  constructor(
    readonly id: string,
    readonly userId: UserId,
    profile: QueueProfile,
    readonly idleTimeoutSecs: number,
    /** `last_event_id` of the register answer. */
    readonly startPosition: LogPosition,
    /** Where the in-memory part of the fetched state was taken: see `backlog.ts`. */
    readonly snapshotPosition: LogPosition,
    /** Everything up to here is acknowledged, or was in the state that the client fetched. */
    public cursor: LogPosition,
    /** UNIX seconds of the last poll that began or was answered. */
    public seenAt: number,
  ) {
    this.savedSeenAt = seenAt;
    this.registration = profile.registration;
    this.has = profile.has;
    this.messageForm = profile.messageForm;
    this.filter = profile.filter;
  }

  append(entry: LogEntry): void {
    const { backlog } = this;
    // Most queues hold one entry at a time, which all of them share.
    if (backlog.length === 0) {
      entry.alone ??= Object.freeze([entry]);
      this.backlog = entry.alone;
    } else if (Object.isFrozen(backlog)) this.backlog = [...backlog, entry];
    else (backlog as LogEntry[]).push(entry);
    this.backlogBytes += entry.bytes;
  }

  /** Replaces the backlog by the entries that the log has for its client. */
  fill(entries: LogEntry[]): void {
    this.backlog = entries;
    this.backlogBytes = bytesOf(entries);
  }

  /** Drops the entries that the client acknowledges. */
  acknowledge(position: LogPosition): void {
    if (position <= this.cursor) return;
    this.cursor = position;
    const { backlog } = this;
    let kept = 0;
    for (const entry of backlog) {
      if (entry.position > position) break;
      this.backlogBytes -= entry.bytes;
      kept++;
    }
    if (kept === backlog.length) {
      this.backlog = nothing;
      this.backlogBytes = 0;
    } else if (kept > 0) this.backlog = backlog.slice(kept);
  }

  /** The body of an answer: everything not acknowledged. The bytes are valid until `answers` makes the next one. */
  body(state: RealmState, answers: AnswerBuffer): Uint8Array {
    const { backlog } = this;
    const [first] = backlog;
    if (first && backlog.length === 1) return answers.assembleOne(this.id, encodeFor(first, this, state));
    const events = new Array<Buffer>(backlog.length);
    let count = 0;
    for (const entry of backlog) events[count++] = encodeFor(entry, this, state);
    return answers.assemble(this.id, events);
  }

  /**
   * Its first events in the format of a stream, as many as go into one write. They are not held any longer: a client
   * that did not get them says so when it comes again, and the log has them. Valid until `texts` makes the next text.
   */
  nextText(state: RealmState, texts: StreamBuffer): { text: Uint8Array; events: number } {
    const { backlog } = this;
    const [first] = backlog;
    if (first && backlog.length === 1) {
      const text = texts.assembleOne(first, encodeFor(first, this, state));
      this.acknowledge(first.position);
      return { text, events: 1 };
    }
    const events: Buffer[] = [];
    let bytes = 0;
    let sent = this.cursor;
    for (const entry of backlog) {
      bytes += entry.bytes;
      if (bytes > maxWriteBytes && events.length > 0) break;
      events.push(encodeFor(entry, this, state));
      sent = entry.position;
    }
    const text = texts.assemble(backlog, events);
    this.acknowledge(sent);
    return { text, events: events.length };
  }
}
