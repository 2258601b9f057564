/**
 * The event queues of one realm on this node: registering, polling, heartbeats, and the end of those nobody polls.
 *
 * A queue belongs to no node. Its row says what its client asked for, its client says how far it has come
 * (`last_event_id`), and the realm's log has the rest: whichever node a poll lands on brings the queue back.
 */
import { randomInt, randomUUID } from "node:crypto";
import {
  type ClaimedQueue,
  claimEventQueue,
  deleteEventQueues,
  type EventQueueRow,
  insertEventQueue,
  rowLagSecs,
  saveCursors,
} from "../../storage/event-queues.ts";
import { translate } from "../../storage/postgres.ts";
import { badRequest, errors } from "../errors.ts";
import type { Entry, LogEntry } from "../realm/entry.ts";
import { TimerWheel } from "../timer-wheel.ts";
import { backlogOf, type LoggedRealm, readBacklog } from "./backlog.ts";
import type { Ends } from "./ends.ts";
import { FanOut } from "./fan-out.ts";
import type { EventQueueState } from "./machine.ts";
import { QueueProfiles } from "./profile.ts";
import { EventQueue, type Poll, type Stream, type Waiter } from "./queue.ts";
import type { Registration } from "./registration.ts";

/**
 * Seconds after which a poll is answered with a `heartbeat`, and the random part of that.
 * https://zulip.com/api/get-events
 */
const heartbeatAfterSecs = 45;
const heartbeatSpreadSecs = 10;
/**
 * Seconds after which a stream ends, and the random part: its client asks again, proves again who it is, and may be led to
 * another node.
 */
const maxStreamSecs = 3600;
const maxStreamSpreadSecs = 600;
/** How long a writer may take to give heartbeats their place. */
const heartbeatPatienceSecs = 5;
/** Rows written at a time, once a second. */
const flushSlice = 2000;
/** Queues looked at in one go of the event loop. */
const sweepSlice = 500;

export interface PollRequest {
  queueId: string;
  userId: number;
  /** -1 acknowledges nothing. */
  lastEventId: number;
  dontBlock: boolean;
  /** `api_key_version` of the account when its key or log-in was checked. Undefined: the caller has checked it. */
  keyVersion?: number;
}

/** The realm that the queues belong to. */
export interface QueuedRealm extends LoggedRealm {
  /** The newest log position applied here. */
  readonly position: number;
  /** Whether a client may have been told of an event at this position, by any node. */
  wasTold(position: number): Promise<boolean>;
  /** Publishes an event that is not stored. */
  publish(entry: Entry): void;
  /** Says that a queue came back here. The node that held it lets it go. */
  claim(queueId: string, claim: number): void;
}

export class EventQueues {
  readonly fanOut: FanOut;
  readonly #wheel: TimerWheel<EventQueue>;
  #wantsHeartbeat: EventQueue[] = [];
  /** When a place for heartbeats was asked for; 0 when none is awaited. */
  #heartbeatAskedAt = 0;
  #toSave: EventQueue[] = [];
  /** Queues that ended here and whose rows are not deleted yet. They cannot be revived. */
  readonly #toDelete = new Map<string, ClaimedQueue>();
  #isLeaving = false;
  #isClosed = false;
  readonly #profiles = new QueueProfiles();
  readonly #reviving = new Map<string, Promise<EventQueue>>();

  constructor(private readonly realm: QueuedRealm) {
    const { environment, state } = realm;
    this.#wheel = new TimerWheel(environment.clock());
    this.fanOut = new FanOut(state, environment.limits, {
      delivered: (events) => environment.metrics.delivered(events),
      answered: (queue) => this.#answered(queue),
      collected: (queue) => {
        environment.metrics.queueCollected();
        this.#toDelete.set(queue.id, { id: queue.id, claim: queue.claim });
      },
    });
  }

  get size(): number {
    return this.fanOut.queues.size;
  }

  /** How many queues are in each state, for the metrics. */
  census(): { live: number; idle: number; parked: number; streams: number } {
    const counts = { live: 0, idle: 0, parked: 0, streams: 0 };
    for (const queue of this.fanOut.queues.values()) {
      if (queue.state === "live") counts.live++;
      else counts.idle++;
      if (queue.parked) counts.parked++;
      if (queue.parked?.isStream) counts.streams++;
    }
    return counts;
  }

  /**
   * Adds a queue whose client fetched its state at `startPosition` (stored part) and now (part held by the replica).
   * Its row is durable when this resolves.
   */
  async register(
    userId: number,
    registration: Registration,
    idleTimeoutSecs: number,
    startPosition: number,
    snapshotPosition: number,
  ): Promise<EventQueue> {
    const now = this.realm.environment.clock();
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
    this.#makeRoom(userId);
    // Filled and added in one go: nothing can fall between the snapshot and the first entry delivered.
    if (startPosition >= this.realm.recent.floor) {
      queue.fill(backlogOf(queue, this.realm.state, this.realm.recent.after(startPosition)));
      this.fanOut.add(queue, { type: "queue.registered" });
    } else this.fanOut.add(queue, { type: "queue.outrun" });
    this.#schedule(queue, now);
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
        seen_at: now,
      });
    } catch (error) {
      this.fanOut.remove(queue);
      throw translate(error);
    }
    return queue;
  }

  /**
   * Answers a poll at once, or parks it; opens a stream, which stays. A poll that is parked already for the queue is
   * answered first, with whatever is there, and a stream ends. Returns the queue, so that the caller can take back what its
   * client left.
   *
   * @throws BAD_EVENT_QUEUE_ID for a queue that is unknown, gone, or someone else's; BAD_REQUEST for a `last_event_id`
   * that no event ever had; UNAUTHORIZED when `keyVersion` is over
   */
  async poll(
    { queueId, userId, lastEventId, dontBlock, keyVersion }: PollRequest,
    waiter: Waiter,
  ): Promise<EventQueue> {
    const queue = this.fanOut.queues.get(queueId) ?? (await this.#revive(queueId, userId));
    if (queue.userId !== userId) throw errors.BAD_EVENT_QUEUE_ID({ queue_id: queueId });
    if (lastEventId > this.realm.position && !(await this.realm.wasTold(lastEventId)))
      throw badRequest(`An event newer than ${lastEventId} has already been pruned!`);
    if (lastEventId >= 0 && lastEventId < queue.cursor) await this.#rewind(queue, lastEventId);
    else {
      queue.acknowledge(lastEventId);
      if (queue.state !== "live") await this.#wake(queue);
    }
    // The key or log-in may have ended while the poll was prepared. Such a poll gets no events.
    if (keyVersion !== undefined && this.realm.state.users.get(userId)?.api_key_version !== keyVersion)
      throw errors.UNAUTHORIZED("Invalid API key");
    if (waiter.isStream) this.#open(queue, waiter, !dontBlock);
    else if (dontBlock && queue.backlog.length === 0) {
      this.fanOut.replace(queue);
      this.#answered(queue);
      waiter.answer(this.fanOut.body(queue));
    } else this.#park(queue, waiter);
    return queue;
  }

  /** A queue that this node holds. */
  find(queueId: string): EventQueue | undefined {
    return this.fanOut.queues.get(queueId);
  }

  /** `poll` for a live queue, `lastEventId` not below its cursor: all at once. */
  take(queue: EventQueue, lastEventId: number, waiter: Poll): void {
    queue.acknowledge(lastEventId);
    this.#park(queue, waiter);
  }

  /** Answers at once when there is something to say, else parks the poll. One that waits there already goes first. */
  #park(queue: EventQueue, waiter: Poll): void {
    const now = this.realm.environment.clock();
    queue.seenAt = now;
    this.fanOut.replace(queue);
    // While its poll was prepared it may have gone to another node, or with its realm: no event would ever come.
    const isHere = this.fanOut.queues.get(queue.id) === queue;
    if (queue.backlog.length > 0 || this.#isLeaving || !isHere) {
      waiter.answer(this.fanOut.body(queue));
      this.#checkSooner(queue);
    } else {
      queue.parked = waiter;
      queue.parkedAt = now;
    }
  }

  /** Sends a stream what there is, and from then on what comes. One that may not stay ends behind that. */
  #open(queue: EventQueue, stream: Stream, stays: boolean): void {
    const now = this.realm.environment.clock();
    queue.seenAt = now;
    this.fanOut.replace(queue);
    const isHere = this.fanOut.queues.get(queue.id) === queue;
    stream.openedAt = now + randomInt(maxStreamSpreadSecs);
    stream.open();
    queue.parked = stream;
    queue.parkedAt = now;
    if (stays && isHere && !this.#isLeaving) this.fanOut.push(queue);
    else this.fanOut.answer(queue);
  }

  /** The client of a stream has taken what it was sent. */
  push(queue: EventQueue): void {
    this.fanOut.push(queue);
  }

  /** The client of a parked poll or a stream has gone. */
  unpark(queue: EventQueue, waiter: Waiter): void {
    if (queue.parked !== waiter) return;
    queue.parked = undefined;
    queue.seenAt = this.realm.environment.clock();
    this.#checkSooner(queue);
  }

  /** @throws BAD_EVENT_QUEUE_ID */
  async delete(queueId: string, userId: number): Promise<void> {
    const held = this.fanOut.queues.get(queueId);
    if (held && held.userId !== userId) throw errors.BAD_EVENT_QUEUE_ID({ queue_id: queueId });
    // The queue is taken over first, so that no other node holds it.
    if (held) this.letGo(queueId);
    const queue = await this.#revive(queueId, userId);
    this.fanOut.step(queue, { type: "queue.deleted" });
    await this.flush();
  }

  /**
   * Another node has the queue: a poll that waits here is answered, and the client asks again.
   *
   * @param claim under which it has it; a claim of this node's may be the later one
   */
  letGo(queueId: string, claim = Number.POSITIVE_INFINITY): void {
    const queue = this.fanOut.queues.get(queueId);
    if (!queue || queue.claim >= claim) return;
    this.fanOut.step(queue, { type: "node.released" });
    this.fanOut.answer(queue);
    this.fanOut.remove(queue);
  }

  /** Ends queues for good, and answers polls that wait for accounts whose key or log-in is over. */
  end({ queues, polls, everybody }: Ends): void {
    for (const userId of queues)
      for (const queue of [...this.fanOut.queuesOf(userId)]) this.fanOut.step(queue, { type: "queue.deleted" });
    for (const userId of polls) for (const queue of this.fanOut.queuesOf(userId)) this.fanOut.answer(queue);
    if (everybody) for (const queue of this.fanOut.queues.values()) this.fanOut.answer(queue);
  }

  /** Looks after what is due; called about once a second. Returns false when there is more to do at once. */
  sweep(now: number): boolean {
    const done = this.#wheel.sweep(now, sweepSlice, (queue) => this.#check(queue, now));
    if (this.#wantsHeartbeat.length > 0 && done) {
      // Without an answer from the writer for a while, the newest place this node knows has to do.
      if (now - this.#heartbeatAskedAt > heartbeatPatienceSecs && this.#heartbeatAskedAt > 0)
        this.heartbeat(this.realm.position);
      else if (this.#heartbeatAskedAt === 0) {
        this.#heartbeatAskedAt = now;
        this.realm.publish({ tick: true });
      }
    }
    return done;
  }

  /** A place in the log was taken for heartbeats: everything before it has been delivered. */
  heartbeat(position: number): void {
    this.#heartbeatAskedAt = 0;
    const beat: LogEntry = { position, bytes: 0, event: { type: "heartbeat" } };
    for (const queue of this.#wantsHeartbeat.splice(0)) {
      if (!queue.parked || queue.parked.isStream || queue.backlog.length > 0) continue;
      // It is acknowledged by whatever comes next, so the queue need not keep it.
      queue.backlog = [beat];
      this.fanOut.answer(queue);
      queue.backlog = [];
    }
  }

  /** Writes down what the sweeps found out: who is gone, and how far the others are. */
  async flush(): Promise<void> {
    const gone = [...this.#toDelete.values()].slice(0, flushSlice);
    const saved = this.#toSave.splice(0, flushSlice);
    try {
      await deleteEventQueues(this.realm.database.sql, gone);
      for (const { id } of gone) this.#toDelete.delete(id);
      const lost = await saveCursors(
        this.realm.database.sql,
        saved.map(({ id, claim, cursor, seenAt }) => ({ id, claim, cursor, seen_at: seenAt })),
      );
      for (const queue of saved) queue.savedSeenAt = queue.seenAt;
      // What their new node said of it did not reach this one.
      for (const id of lost) this.letGo(id);
    } catch (error) {
      throw translate(error);
    }
  }

  /**
   * Gives up every queue without ending any: parked polls are answered, and the next poll brings each back, here or
   * elsewhere.
   */
  evict(): void {
    for (const queue of [...this.fanOut.queues.values()]) {
      this.fanOut.answer(queue);
      this.#toSave.push(queue);
      this.fanOut.step(queue, { type: "node.released" });
      this.fanOut.remove(queue);
    }
  }

  /** The realm is dropped from memory: polls go home, and no queue comes back here. */
  close(): void {
    this.#isClosed = true;
    this.drain();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The node stops soon: polls go home, and those that come now do not wait. */
  drain(): void {
    this.#isLeaving = true;
    this.evict();
  }

  async stop(): Promise<void> {
    this.evict();
    try {
      do await this.flush();
      while (this.#toSave.length > 0 || this.#toDelete.size > 0);
    } catch {
      // Without PostgreSQL the rows stay as they are: the queues come back a little further behind.
    }
  }

  /** A parked poll was answered: from now on the queue may expire. */
  #answered(queue: EventQueue): void {
    queue.seenAt = this.realm.environment.clock();
    this.#checkSooner(queue);
  }

  #check(queue: EventQueue, now: number): void {
    if (this.fanOut.queues.get(queue.id) !== queue || queue.checkAt > now) return;
    const { limits } = this.realm.environment;
    if (queue.parked) {
      if (now - queue.parkedAt >= heartbeatAfterSecs) this.#beat(queue, queue.parked, now);
    } else if (now > queue.seenAt + queue.idleTimeoutSecs) {
      this.fanOut.step(queue, { type: "sweep.expired" });
      return;
    } else if (queue.state === "live" && now - queue.seenAt >= limits.idleAfterSecs) {
      this.fanOut.step(queue, { type: "sweep.unpolled" });
    }
    const seenAt = queue.parked ? now : queue.seenAt;
    if (seenAt - queue.savedSeenAt >= rowLagSecs(queue.idleTimeoutSecs)) {
      queue.seenAt = seenAt;
      this.#toSave.push(queue);
    }
    this.#schedule(queue, now);
  }

  /** A heartbeat is due: to a stream it is a comment, which has no place in the log. */
  #beat(queue: EventQueue, waiter: Waiter, now: number): void {
    if (!waiter.isStream) this.#wantsHeartbeat.push(queue);
    else if (now - waiter.openedAt >= maxStreamSecs) this.fanOut.answer(queue);
    else {
      queue.parkedAt = now;
      this.fanOut.beat(queue, waiter);
    }
  }

  /** When something may have to happen to the queue, if no poll comes before. */
  #schedule(queue: EventQueue, now: number): void {
    const { limits } = this.realm.environment;
    let at: number;
    if (queue.parked) at = Math.max(now + 1, queue.parkedAt + heartbeatAfterSecs + randomInt(heartbeatSpreadSecs));
    else if (queue.state === "live") at = queue.seenAt + Math.min(queue.idleTimeoutSecs + 1, limits.idleAfterSecs);
    else at = queue.seenAt + queue.idleTimeoutSecs + 1;
    // A queue that was not parked may be parked by then: come back in time for its heartbeat.
    queue.checkAt = Math.max(now + 1, Math.min(at, now + heartbeatAfterSecs));
    this.#wheel.schedule(queue, queue.checkAt);
  }

  /** The next check may have been set for a heartbeat; a short time-out ends before that. */
  #checkSooner(queue: EventQueue): void {
    // A whole second more: `seenAt` may be almost a second older than it says.
    const expires = queue.seenAt + queue.idleTimeoutSecs + 1;
    if (expires >= queue.checkAt) return;
    queue.checkAt = expires;
    this.#wheel.schedule(queue, expires);
  }

  /** Ends the queue that was polled longest ago of an account that has as many as it may. */
  #makeRoom(userId: number): void {
    const mine = this.fanOut.queuesOf(userId);
    if (mine.length < this.realm.environment.limits.maxQueuesPerUser) return;
    // One whose poll waits was polled just now.
    const polledAt = (queue: EventQueue) => (queue.parked ? Number.POSITIVE_INFINITY : queue.seenAt);
    const stalest = mine.reduce((one, other) => (polledAt(other) < polledAt(one) ? other : one));
    this.fanOut.step(stalest, { type: "queue.deleted" });
  }

  /** Brings an idle queue up to date. @throws BAD_EVENT_QUEUE_ID when it fell too far behind */
  async #wake(queue: EventQueue): Promise<void> {
    const backlog = await readBacklog(this.realm, queue);
    if (queue.state === "live") return;
    this.fanOut.revive(queue, backlog);
    // Revived, too far behind, or ended while the log was read: the machine has said which.
    if ((queue.state as EventQueueState) !== "live") throw errors.BAD_EVENT_QUEUE_ID({ queue_id: queue.id });
  }

  /** The client asks again for what it had acknowledged. */
  async #rewind(queue: EventQueue, position: number): Promise<void> {
    this.fanOut.step(queue, { type: "poll.rewound" });
    queue.cursor = Math.max(position, queue.startPosition);
    await this.#wake(queue);
  }

  /** Finds the queue of a registration that this node does not hold. Several polls at once bring it back once. */
  #revive(queueId: string, userId: number): Promise<EventQueue> {
    const underWay = this.#reviving.get(queueId);
    if (underWay) return underWay;
    const revived = this.#bringBack(queueId, userId).finally(() => this.#reviving.delete(queueId));
    this.#reviving.set(queueId, revived);
    return revived;
  }

  async #bringBack(queueId: string, userId: number): Promise<EventQueue> {
    const { environment, state } = this.realm;
    const unknown = errors.BAD_EVENT_QUEUE_ID({ queue_id: queueId });
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(queueId) || this.#toDelete.has(queueId)) throw unknown;
    let row: EventQueueRow | undefined;
    try {
      row = await claimEventQueue(this.realm.database.sql, { id: queueId, realmId: this.realm.id, userId });
    } catch (error) {
      throw translate(error);
    }
    // The realm was dropped meanwhile. The claim stands, and whoever polls next makes a newer one.
    if (this.#isClosed) throw errors.SERVICE_UNAVAILABLE("The organization is being loaded again.");
    if (!row) throw unknown;
    const now = environment.clock();
    // Nobody could poll while no node was there: that time does not count, nor what the row does not know yet.
    const unseen = now - Math.max(row.seen_at + rowLagSecs(row.idle_timeout_secs), environment.startedAt);
    if (unseen > row.idle_timeout_secs || !state.users.get(userId)?.is_active) {
      this.#toDelete.set(queueId, { id: queueId, claim: row.claim });
      throw unknown;
    }
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
    this.#makeRoom(userId);
    this.fanOut.add(queue, { type: "queue.found" });
    this.realm.claim(queue.id, queue.claim);
    environment.metrics.queueRevived();
    this.#schedule(queue, now);
    return queue;
  }
}
