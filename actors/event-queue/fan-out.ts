/**
 * The delivery of each log entry to the queues of one realm on one node.
 *
 * Delivery happens in two steps. As an entry is applied, it is appended (by reference) to the queues that take it. At
 * the end of the tick every queue with a parked poll or an open stream and something to say is answered. Each is
 * answered once, however many entries the tick brought. The order within a queue is the order of the log.
 *
 * A stream stays open. While its client is behind nothing more is written: its queue holds references, up to a share of
 * what a queue may hold. Past that, or when the client read nothing between two heartbeats, the connection is cut. The
 * client then goes on from the log when it comes again.
 */
import type { UserId } from "../../storage/ids.ts";
import type { RealmEvent } from "../events/events.ts";
import type { Audience, LogEntry } from "../realm/entry.ts";
import { currentMemberships, isPublicMessageFor, isRecipient } from "../realm/recipients.ts";
import type { RealmState } from "../realm/state/state.ts";
import { AnswerBuffer } from "./answer-buffer.ts";
import { type EventQueueAction, type EventQueueEvent, stepEventQueue } from "./machine.ts";
import type { EventQueue, Stream } from "./queue.ts";
import { QueueIndex } from "./queue-index.ts";
import { StreamBuffer } from "./stream-buffer.ts";

/** Share of a queue's limit that may wait for a stream whose client does not read. The rest is for its return. */
const behindShare = 1 / 4;
/** A comment, for proxies and clients that end a connection on which nothing comes. */
const heartbeat = Buffer.from(": heartbeat\n\n");

export interface FanOutLimits {
  /** Entries a queue may hold before it is collected. */
  maxBacklogEvents: number;
  /** Bytes of JSON of the entries a queue may hold before it is collected. */
  maxBacklogBytes: number;
}

export interface FanOutHooks {
  delivered(events: number): void;
  /** A parked poll was answered, or a stream ended. */
  answered(queue: EventQueue): void;
  /** A queue is gone for good: forget its registration. */
  collected(queue: EventQueue): void;
}

export class FanOut {
  readonly #index = new QueueIndex();
  readonly #answers = new AnswerBuffer();
  readonly #texts = new StreamBuffer();
  #due: EventQueue[] = [];

  constructor(
    private readonly state: RealmState,
    private readonly limits: FanOutLimits,
    private readonly hooks: FanOutHooks,
  ) {}

  /** Adds a queue: one that was just registered, or one whose registration was found. */
  add(queue: EventQueue, event: { type: "queue.registered" | "queue.outrun" | "queue.found" }): void {
    this.step(queue, event);
    this.#index.add(queue);
  }

  /** Removes a queue from this node. The caller decides what becomes of it. */
  remove(queue: EventQueue): void {
    this.#index.remove(queue);
  }

  /** By id. */
  get queues(): ReadonlyMap<string, EventQueue> {
    return this.#index.byId;
  }

  queuesOf(userId: UserId): readonly EventQueue[] {
    return this.#index.of(userId);
  }

  deliver(entry: LogEntry): void {
    const { event, audience } = entry;
    if (!event || !audience) return;
    const takers = this.#index.takersOf(event.type);
    if (takers.length === 0) return;
    this.#each(audience, takers, (queue) => this.#offer(queue, entry, event));
    if (event.type === "message") this.#offerPublic(entry, event, audience);
  }

  /** Steps a queue's machine and does what it orders. */
  step(queue: EventQueue, event: EventQueueEvent): void {
    this.#step(queue, event, []);
  }

  /**
   * A poll came for a queue that holds nothing: it is filled from the log.
   * @param backlog undefined: it is too much, which ends the queue
   */
  revive(queue: EventQueue, backlog: LogEntry[] | undefined): void {
    this.#step(queue, { type: "poll.attached", recoverable: backlog !== undefined }, backlog ?? []);
  }

  #step(queue: EventQueue, event: EventQueueEvent, backlog: LogEntry[]): void {
    const { state, actions } = stepEventQueue(queue.state, event);
    queue.state = state;
    for (const action of actions) this.#perform(action, queue, backlog);
  }

  /** Performs an action of the machine. Nothing else changes a queue's state. */
  #perform(action: EventQueueAction, queue: EventQueue, backlog: LogEntry[]): void {
    switch (action) {
      case "shrink":
        queue.fill([]);
        return;
      case "revive":
        queue.fill(backlog);
        return;
      case "release":
        queue.fill([]);
        this.remove(queue);
        this.answer(queue);
        this.hooks.collected(queue);
        return;
      default:
        action satisfies never;
    }
  }

  /** Has the queue's parked poll answered at the end of this tick, with whatever it holds by then. */
  answerSoon(queue: EventQueue): void {
    if (queue.due || !queue.parked) return;
    queue.due = true;
    if (this.#due.length === 0) setImmediate(() => this.#answerDue());
    this.#due.push(queue);
  }

  /** Answers the parked poll now, if there is one. A stream is sent what there is, and ends. */
  answer(queue: EventQueue): void {
    const waiter = queue.parked;
    if (!waiter) return;
    if (waiter.isStream) {
      this.#push(queue, waiter);
      queue.parked = undefined;
      waiter.end();
    } else {
      queue.parked = undefined;
      this.hooks.delivered(queue.backlog.length);
      waiter.answer(queue.body(this.state, this.#answers));
    }
    this.hooks.answered(queue);
  }

  /** Another request asks for the queue: a parked poll is answered, and a stream ends without further events. */
  replace(queue: EventQueue): void {
    if (!queue.parked?.isStream) {
      this.answer(queue);
      return;
    }
    queue.parked.end();
    queue.parked = undefined;
  }

  /** Sends what the queue holds to its stream, if it has one whose client keeps up. */
  push(queue: EventQueue): void {
    if (queue.parked?.isStream) this.#push(queue, queue.parked);
  }

  #push(queue: EventQueue, stream: Stream): void {
    while (!stream.isBehind && queue.backlog.length > 0) {
      const { text, events } = queue.nextText(this.state, this.#texts);
      this.hooks.delivered(events);
      stream.write(text);
    }
  }

  /** A heartbeat is due. */
  beat(queue: EventQueue, stream: Stream): void {
    if (!stream.isBehind) stream.write(heartbeat);
    else if (stream.isStuck) this.#cut(queue, stream);
    else stream.isStuck = true;
  }

  /** Drops a stream whose client does not read. Its queue holds nothing until the client comes again. */
  #cut(queue: EventQueue, stream: Stream): void {
    queue.parked = undefined;
    stream.cut();
    this.step(queue, { type: "stream.cut" });
    this.hooks.answered(queue);
  }

  /** The body for a poll that is answered at once. Valid until the next one is made. */
  body(queue: EventQueue): Uint8Array {
    this.hooks.delivered(queue.backlog.length);
    return queue.body(this.state, this.#answers);
  }

  #answerDue(): void {
    const due = this.#due;
    this.#due = [];
    for (const queue of due) {
      queue.due = false;
      if (queue.parked?.isStream) this.#push(queue, queue.parked);
      else this.answer(queue);
    }
  }

  #offer(queue: EventQueue, entry: LogEntry, event: RealmEvent): void {
    if (queue.state !== "live" || !queue.filter.accepts(event, queue.userId, this.state)) return;
    if (entry.position <= queue.cursor) return;
    queue.append(entry);
    const { parked } = queue;
    if (parked?.isStream && parked.isBehind) {
      if (this.#isOver(queue, behindShare)) this.#cut(queue, parked);
    } else if (this.#isOver(queue, 1)) this.step(queue, { type: "backlog.overflowed" });
    else if (parked) this.answerSoon(queue);
  }

  #isOver(queue: EventQueue, share: number): boolean {
    const { maxBacklogEvents, maxBacklogBytes } = this.limits;
    return queue.backlog.length > maxBacklogEvents * share || queue.backlogBytes > maxBacklogBytes * share;
  }

  /**
   * Walks the shorter of two lists: the audience, or the queues that take such events. Whether somebody is in an
   * audience that is not listed takes longer to tell than whether a queue takes the event.
   */
  #each(audience: Audience, takers: readonly ReadonlySet<EventQueue>[], offer: (queue: EventQueue) => void): void {
    const ids =
      audience.to === "users"
        ? audience.ids
        : audience.to === "subscribers"
          ? this.state.subscriptions.subscribers(audience.channelId).values()
          : undefined;
    if (ids && ids.length <= takers.reduce((sum, { size }) => sum + size, 0)) {
      for (const id of ids) if (!audience.except?.includes(id)) for (const queue of this.queuesOf(id)) offer(queue);
      if (audience.to !== "subscribers" || !audience.also) return;
      for (const id of audience.also) {
        if (this.state.subscriptions.has(id, audience.channelId)) continue;
        for (const queue of this.queuesOf(id)) offer(queue);
      }
      return;
    }
    const listed = audience.to === "users" ? new Set(audience.ids) : undefined;
    for (const queues of takers) {
      for (const queue of queues) {
        const { userId } = queue;
        if (listed ? listed.has(userId) && !audience.except?.includes(userId) : this.#receives(userId, audience))
          offer(queue);
      }
    }
  }

  #receives(userId: UserId, audience: Audience): boolean {
    const user = this.state.users.get(userId);
    return user !== undefined && isRecipient(this.state, audience, user, currentMemberships(this.state, user));
  }

  #offerPublic(entry: LogEntry, event: RealmEvent, audience: Audience): void {
    for (const queue of this.#index.allPublic) {
      const user = this.state.users.get(queue.userId);
      if (!user || this.#receives(queue.userId, audience)) continue;
      if (isPublicMessageFor(this.state, audience, user)) this.#offer(queue, entry, event);
    }
  }
}
