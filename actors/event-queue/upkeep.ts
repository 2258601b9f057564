/**
 * What happens to queues while nobody asks: heartbeats, time-outs, and the rows that say how far each has come. The
 * shell calls `sweep` about once a second, and `flush` after it.
 */
import { randomInt } from "node:crypto";
import { type ClaimedQueue, deleteEventQueues, rowLagSecs, saveCursors } from "../../storage/event-queues.ts";
import { type Database, translate } from "../../storage/postgres.ts";
import type { Entry, LogEntry } from "../realm/entry.ts";
import type { RealmEnvironment } from "../realm/environment.ts";
import { TimerWheel } from "../timer-wheel.ts";
import type { FanOut } from "./fan-out.ts";
import type { EventQueue, Waiter } from "./queue.ts";

/**
 * Seconds after which a poll is answered with a `heartbeat`, and the random part of that.
 * https://zulip.com/api/get-events
 */
const heartbeatAfterSecs = 45;
const heartbeatSpreadSecs = 10;
/** Seconds after which a stream ends: its client asks again, proves again who it is, and may be led to another node. */
const maxStreamSecs = 3600;
/** How long a writer may take to give heartbeats their place. */
const heartbeatPatienceSecs = 5;
/** Rows written at a time, once a second. */
const flushSlice = 2000;
/** Queues looked at in one go of the event loop. */
const sweepSlice = 500;

/** The realm that the queues belong to. */
export interface KeptRealm {
  readonly database: Database;
  readonly environment: RealmEnvironment;
  /** The newest log position applied here. */
  readonly position: number;
  /** Publishes an event that is not stored. */
  publish(entry: Entry): void;
}

export class Upkeep {
  readonly #wheel: TimerWheel<EventQueue>;
  #wantsHeartbeat: EventQueue[] = [];
  /** When a place for heartbeats was asked for; 0 when none is awaited. */
  #heartbeatAskedAt = 0;
  #toSave: EventQueue[] = [];
  /** Queues that ended here and whose rows are not deleted yet. They cannot be revived. */
  readonly #toDelete = new Map<string, ClaimedQueue>();

  /** @param lost told of a queue that another node has */
  constructor(
    private readonly realm: KeptRealm,
    private readonly fanOut: FanOut,
    private readonly lost: (queueId: string) => void,
  ) {
    this.#wheel = new TimerWheel(realm.environment.steady());
  }

  /** The queue is over: its row goes with the next `flush`. */
  forget(queue: ClaimedQueue): void {
    this.#toDelete.set(queue.id, { id: queue.id, claim: queue.claim });
  }

  /** Whether the queue is over and its row may still be there. */
  forgets(queueId: string): boolean {
    return this.#toDelete.has(queueId);
  }

  /** Has the next `flush` write down how far the queue is. */
  save(queue: EventQueue): void {
    this.#toSave.push(queue);
  }

  get hasUnsaved(): boolean {
    return this.#toSave.length > 0 || this.#toDelete.size > 0;
  }

  /** Looks after what is due, by the steady clock. Returns false when there is more to do at once. */
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
      // Without a writer there may be no new place: ids only go up, so the answer is empty then. A heartbeat is
      // acknowledged by whatever comes next, and the queue need not keep it.
      if (position > queue.cursor) queue.backlog = [beat];
      this.fanOut.answer(queue);
      queue.backlog = [];
    }
  }

  /** Writes down what the sweeps found out: who is gone, and how far the others are. */
  async flush(): Promise<void> {
    const gone = [...this.#toDelete.values()].slice(0, flushSlice);
    const saved = this.#toSave.splice(0, flushSlice);
    // Other nodes have other steady clocks.
    const { environment } = this.realm;
    const ahead = environment.clock() - environment.steady();
    try {
      await deleteEventQueues(this.realm.database.sql, gone);
      for (const { id } of gone) this.#toDelete.delete(id);
      const lost = await saveCursors(
        this.realm.database.sql,
        saved.map(({ id, claim, cursor, seenAt }) => ({ id, claim, cursor, seen_at: seenAt + ahead })),
      );
      for (const queue of saved) queue.savedSeenAt = queue.seenAt;
      // What their new node said of it did not reach this one.
      for (const id of lost) this.lost(id);
    } catch (error) {
      throw translate(error);
    }
  }

  /** Sets when something may have to happen to the queue, if no poll comes before. */
  schedule(queue: EventQueue, now: number): void {
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
  checkSooner(queue: EventQueue): void {
    // A whole second more: `seenAt` may be almost a second older than it says.
    const expires = queue.seenAt + queue.idleTimeoutSecs + 1;
    if (expires >= queue.checkAt) return;
    queue.checkAt = expires;
    this.#wheel.schedule(queue, expires);
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
    this.schedule(queue, now);
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
}
