/**
 * The event queues of one realm on this node: registering, polling, heartbeats, and collecting those that nobody polls.
 *
 * A queue belongs to no node. Its row says what its client asked for, its client says how far it has read
 * (`last_event_id`), and the realm's log has the rest. So any node that gets a poll can revive the queue.
 */
import { randomInt, randomUUID } from "node:crypto";
import { insertEventQueue } from "../../storage/event-queues.ts";
import type { LogPosition, UserId } from "../../storage/ids.ts";
import { MissingReference, translate } from "../../storage/postgres.ts";
import { errors } from "../errors.ts";
import type { Registration } from "../events/registration.ts";
import { inTime } from "../in-time.ts";
import type { LogEntry } from "../realm/entry.ts";
import { backlogOf, readBacklog } from "./backlog.ts";
import { type QueueCensus, takeCensus } from "./census.ts";
import { type Ends, endedBy } from "./ends.ts";
import { FanOut } from "./fan-out.ts";
import type { EventQueueState } from "./machine.ts";
import { QueueProfiles } from "./profile.ts";
import { EventQueue, type Poll, type Session, type Stream, type Waiter } from "./queue.ts";
import type { QueuedRealm } from "./queued-realm.ts";
import { claimQueue, type QueueRequest } from "./revival.ts";
import { isOfEnded, SessionEnds } from "./session-ends.ts";
import { Upkeep } from "./upkeep.ts";

/** The random part of a stream's life, in seconds, so that streams that were opened together do not end together. */
const streamSpreadSecs = 600;

export interface PollRequest extends QueueRequest {
  dontBlock: boolean;
  /** `api_key_version` of the account when its key or log-in was checked. Undefined: the caller has checked it. */
  keyVersion?: number;
  /** The log-in that it came by. */
  session?: Session | undefined;
}

export class EventQueues {
  readonly fanOut: FanOut;
  readonly #upkeep: Upkeep;
  #isLeaving = false;
  #isClosed = false;
  #endedByEntry: Ends | undefined;
  readonly #profiles = new QueueProfiles();
  readonly #reviving = new Map<string, Promise<EventQueue>>();
  readonly #sessionEnds: SessionEnds;

  constructor(private readonly realm: QueuedRealm) {
    this.#sessionEnds = new SessionEnds(realm);
    const { environment, state } = realm;
    this.fanOut = new FanOut(state, environment.limits, {
      delivered: (events) => environment.metrics.delivered(events),
      answered: (queue) => this.#answered(queue),
      collected: (queue) => {
        environment.metrics.queueCollected();
        this.#upkeep.forget(queue);
      },
    });
    this.#upkeep = new Upkeep(realm, this.fanOut, (queueId) => this.letGo(queueId));
  }

  get size(): number {
    return this.fanOut.queues.size;
  }

  /** How many queues are in each state, for the metrics. */
  census(): QueueCensus {
    return takeCensus(this.fanOut.queues.values(), this.realm.environment.steady());
  }

  /**
   * Adds a queue whose client fetched its state at `startPosition` (stored part) and now (part held by the replica).
   * Its row is durable when this resolves.
   *
   * @throws UNAUTHENTICATED_USER when the log-in that registers it has ended
   */
  async register(
    userId: UserId,
    registration: Registration,
    idleTimeoutSecs: number,
    startPosition: LogPosition,
    snapshotPosition: LogPosition,
    session?: Session,
  ): Promise<EventQueue> {
    const now = this.realm.environment.steady();
    const queue = new EventQueue(
      randomUUID(),
      userId,
      this.#profiles.of(registration),
      idleTimeoutSecs,
      startPosition,
      snapshotPosition,
      startPosition,
      now,
    );
    queue.sessionId = session?.id;
    this.#makeRoom(userId);
    // Filled and added without an await, so no entry can be missed between the snapshot and the first delivery.
    if (startPosition >= this.realm.recent.floor) {
      queue.fill(backlogOf(queue, this.realm.state, this.realm.recent.after(startPosition)));
      this.fanOut.add(queue, { type: "queue.registered" });
    } else this.fanOut.add(queue, { type: "queue.outrun" });
    this.#upkeep.schedule(queue, now);
    try {
      await insertEventQueue(this.realm.database.sql, {
        id: queue.id,
        realm_id: this.realm.id,
        user_id: userId,
        registration,
        start_position: startPosition,
        snapshot_position: snapshotPosition,
        cursor: startPosition,
        idle_timeout_secs: idleTimeoutSecs,
        seen_at: this.realm.environment.clock(),
        session_hash: session?.tokenHash ?? null,
        generation: this.realm.environment.coordination.generation,
      });
    } catch (error) {
      this.fanOut.remove(queue);
      const cause = translate(error);
      throw cause instanceof MissingReference && session ? errors.UNAUTHENTICATED_USER() : cause;
    }
    return queue;
  }

  /**
   * Answers a poll at once or parks it, or opens a stream. A poll that is already parked for the queue is answered
   * first with what there is, and an open stream ends. Returns the queue, so that the caller can unpark it when its
   * client has gone.
   *
   * @throws BAD_EVENT_QUEUE_ID for a queue that is unknown, gone, or someone else's, and for a `last_event_id` that no
   * event has yet. INVALID_API_KEY when `keyVersion` is over. UNAUTHENTICATED_USER when the log-in has ended.
   * SERVICE_UNAVAILABLE when it takes longer to prepare than a request may wait.
   */
  async poll(request: PollRequest, waiter: Waiter): Promise<EventQueue> {
    // What comes too late prepares the queue for the next poll, and answers nobody.
    const { commandDeadlineMs } = this.realm.environment.limits;
    const queue = await inTime(this.#prepare(request), commandDeadlineMs, { late: "Please ask again." });
    const { userId, dontBlock, keyVersion } = request;
    for (let { session } = request; session && this.#sessionEnds.mayConcern(session); )
      session = await inTime(this.#sessionEnds.findAgain(session), commandDeadlineMs, { late: "Please ask again." });
    // The key or log-in may have ended while the poll was prepared. Such a poll gets no events.
    if (keyVersion !== undefined && this.realm.state.users.get(userId)?.api_key_version !== keyVersion)
      throw errors.INVALID_API_KEY();
    if (waiter.isStream) this.#open(queue, waiter, !dontBlock);
    else if (dontBlock && queue.backlog.length === 0) {
      this.fanOut.replace(queue);
      this.#answered(queue);
      waiter.answer(this.fanOut.body(queue));
    } else this.#park(queue, waiter);
    return queue;
  }

  /** Finds a poll's queue and brings it to where its client is. @throws BAD_EVENT_QUEUE_ID */
  async #prepare({ queueId, userId, lastEventId }: PollRequest): Promise<EventQueue> {
    const queue = this.fanOut.queues.get(queueId) ?? (await this.#revive({ queueId, userId, lastEventId }));
    if (queue.userId !== userId) throw errors.BAD_EVENT_QUEUE_ID({ queue_id: queueId });
    // The database was restored from a backup that is older than the client's events. New events would repeat ids it
    // has.
    if (lastEventId > this.realm.position && !(await this.realm.mayBeDelivered(lastEventId)))
      throw errors.BAD_EVENT_QUEUE_ID({ queue_id: queueId });
    if (lastEventId >= 0 && lastEventId < queue.cursor) await this.#rewind(queue, lastEventId);
    else {
      queue.acknowledge(lastEventId);
      if (queue.state !== "live") await this.#wake(queue);
    }
    return queue;
  }

  /** A queue that this node holds. */
  find(queueId: string): EventQueue | undefined {
    return this.fanOut.queues.get(queueId);
  }

  /** `poll`, done synchronously: for a live queue and a `lastEventId` not below its cursor. */
  take(queue: EventQueue, lastEventId: LogPosition, waiter: Poll): void {
    queue.acknowledge(lastEventId);
    this.#park(queue, waiter);
  }

  /** Answers at once if there are events, else parks the poll. A poll that waits there already is answered first. */
  #park(queue: EventQueue, waiter: Poll): void {
    const now = this.realm.environment.steady();
    queue.seenAt = now;
    this.fanOut.replace(queue);
    if (queue.backlog.length > 0 || this.#isLeaving || !this.#isHere(queue)) {
      waiter.answer(this.fanOut.body(queue));
      this.#upkeep.checkSooner(queue);
    } else {
      queue.parked = waiter;
      queue.parkedAt = now;
    }
  }

  /**
   * Sends a stream what there is, and from then on each event as it comes. Without `stays` it ends after what there is.
   */
  #open(queue: EventQueue, stream: Stream, stays: boolean): void {
    const now = this.realm.environment.steady();
    queue.seenAt = now;
    this.fanOut.replace(queue);
    stream.openedAt = now + randomInt(streamSpreadSecs);
    stream.open();
    queue.parked = stream;
    queue.parkedAt = now;
    if (stays && this.#isHere(queue) && !this.#isLeaving) this.fanOut.push(queue);
    else this.fanOut.answer(queue);
  }

  /**
   * While its poll was prepared a queue may have gone to another node, or with its realm. Or another poll may have sent
   * it back. Then no event would come.
   */
  #isHere(queue: EventQueue): boolean {
    return queue.state === "live" && this.fanOut.queues.get(queue.id) === queue;
  }

  /** Called when a stream's client has read what it was sent. */
  push(queue: EventQueue): void {
    this.fanOut.push(queue);
  }

  /** Called when the client of a parked poll or a stream has gone. */
  unpark(queue: EventQueue, waiter: Waiter): void {
    if (queue.parked !== waiter) return;
    queue.parked = undefined;
    queue.seenAt = this.realm.environment.steady();
    this.#upkeep.checkSooner(queue);
  }

  /** @throws BAD_EVENT_QUEUE_ID */
  async delete(queueId: string, userId: UserId): Promise<void> {
    const held = this.fanOut.queues.get(queueId);
    if (held && held.userId !== userId) throw errors.BAD_EVENT_QUEUE_ID({ queue_id: queueId });
    // The queue is taken over first, so that no other node holds it.
    if (held) this.letGo(queueId);
    const queue = await this.#revive({ queueId, userId, lastEventId: -1 });
    this.fanOut.step(queue, { type: "queue.deleted" });
    await this.flush();
  }

  /**
   * Another node has the queue. A poll that waits here is answered, and its client asks again.
   *
   * @param claim the other node's; this node's may be the later one
   */
  letGo(queueId: string, claim = Number.POSITIVE_INFINITY): void {
    const queue = this.fanOut.queues.get(queueId);
    if (!queue || queue.claim >= claim) return;
    this.fanOut.step(queue, { type: "node.released" });
    this.fanOut.answer(queue);
    this.fanOut.remove(queue);
  }

  /** Ends queues for good, and answers the waiting polls of accounts whose key or log-in is no longer valid. */
  end({ queues, polls, sessions, everybody }: Ends): void {
    if (sessions.length > 0) this.#sessionEnds.note();
    for (const ended of sessions)
      for (const queue of [...this.fanOut.queuesOf(ended.userId)]) {
        if (isOfEnded(ended, queue)) this.fanOut.step(queue, { type: "queue.deleted" });
        else if (queue.parked && isOfEnded(ended, queue.parked)) this.fanOut.answer(queue);
      }
    for (const userId of queues)
      for (const queue of [...this.fanOut.queuesOf(userId)]) this.fanOut.step(queue, { type: "queue.deleted" });
    for (const userId of polls) for (const queue of this.fanOut.queuesOf(userId)) this.fanOut.answer(queue);
    if (everybody) for (const queue of this.fanOut.queues.values()) this.fanOut.answer(queue);
  }

  /** An entry comes, and the replica does not have it yet. */
  foresee(entry: LogEntry): void {
    this.#endedByEntry = endedBy(this.realm.state, entry);
  }

  /** The replica has the entry. */
  apply(entry: LogEntry): void {
    this.fanOut.deliver(entry);
    if (this.#endedByEntry) this.end(this.#endedByEntry);
    // A position was taken for heartbeats: everything before it has been delivered.
    if (entry.tick) this.#upkeep.heartbeat(entry.position);
  }

  /** Looks after what is due; called about once a second. Returns false when there is more to do at once. */
  sweep(now: number): boolean {
    return this.#upkeep.sweep(now);
  }

  /** Writes down what the sweeps found out: who is gone, and how far the others are. */
  flush(): Promise<void> {
    return this.#upkeep.flush();
  }

  /**
   * Releases every queue without ending any. Parked polls are answered, and the next poll revives each, here or
   * elsewhere.
   */
  evict(): void {
    for (const queue of [...this.fanOut.queues.values()]) {
      this.fanOut.answer(queue);
      this.#upkeep.save(queue);
      this.fanOut.step(queue, { type: "node.released" });
      this.fanOut.remove(queue);
    }
  }

  /** The realm is dropped from memory: parked polls are answered, and no queue is revived here. */
  close(): void {
    this.#isClosed = true;
    this.drain();
  }

  /** The node stops soon: parked polls are answered, and new ones do not wait. */
  drain(): void {
    this.#isLeaving = true;
    this.evict();
  }

  async stop(): Promise<void> {
    this.evict();
    try {
      do await this.flush();
      while (this.#upkeep.hasUnsaved);
    } catch {
      // Without PostgreSQL the rows stay as they are, and the queues are revived a little further behind.
    }
  }

  /** A parked poll was answered: from now on the queue may expire. */
  #answered(queue: EventQueue): void {
    queue.seenAt = this.realm.environment.steady();
    this.#upkeep.checkSooner(queue);
  }

  /** Of an account that has as many queues as it may, ends the one that was polled longest ago; assistants' first. */
  #makeRoom(userId: UserId): void {
    const mine = this.fanOut.queuesOf(userId);
    if (mine.length < this.realm.environment.limits.maxQueuesPerUser) return;
    // A queue with a parked poll counts as polled now.
    const polledAt = (queue: EventQueue) => (queue.parked ? Number.POSITIVE_INFINITY : queue.seenAt);
    const ofAssistants = mine.filter(({ registration }) => registration.isAssistant);
    const first = ofAssistants.length > 0 ? ofAssistants : mine;
    const stalest = first.reduce((one, other) => (polledAt(other) < polledAt(one) ? other : one));
    this.fanOut.step(stalest, { type: "queue.deleted" });
  }

  /** Brings an idle queue up to date. @throws BAD_EVENT_QUEUE_ID when it fell too far behind */
  async #wake(queue: EventQueue): Promise<void> {
    const backlog = await readBacklog(this.realm, queue);
    if (queue.state === "live") return;
    this.fanOut.revive(queue, backlog);
    // It was revived, was too far behind, or ended while the log was read. The machine has decided.
    if ((queue.state as EventQueueState) !== "live") throw errors.BAD_EVENT_QUEUE_ID({ queue_id: queue.id });
  }

  /** The client asks again for what it had acknowledged. */
  async #rewind(queue: EventQueue, position: LogPosition): Promise<void> {
    this.fanOut.step(queue, { type: "poll.rewound" });
    queue.cursor = Math.max(position, queue.startPosition);
    await this.#wake(queue);
  }

  /** Revives a queue that this node does not hold, from its registration. Several polls at once revive it once. */
  #revive(request: QueueRequest): Promise<EventQueue> {
    const { queueId } = request;
    const underWay = this.#reviving.get(queueId);
    if (underWay) return underWay;
    const revived = this.#bringBack(request).finally(() => this.#reviving.delete(queueId));
    this.#reviving.set(queueId, revived);
    return revived;
  }

  async #bringBack(request: QueueRequest): Promise<EventQueue> {
    const { environment } = this.realm;
    const row = await claimQueue(this.realm, this.#upkeep, () => this.#isClosed, request);
    const now = environment.steady();
    const queue = new EventQueue(
      row.id,
      row.user_id,
      this.#profiles.of(row.registration as Registration),
      row.idle_timeout_secs,
      row.start_position,
      row.snapshot_position,
      row.cursor,
      now,
    );
    queue.claim = row.claim;
    queue.sessionId = row.session_id ?? undefined;
    this.#makeRoom(row.user_id);
    this.fanOut.add(queue, { type: "queue.found" });
    this.realm.claim(queue.id, queue.claim);
    environment.metrics.queueRevived();
    this.#upkeep.schedule(queue, now);
    return queue;
  }
}
