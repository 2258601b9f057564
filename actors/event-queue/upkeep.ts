/**
 * What happens to queues without a request: heartbeats, time-outs, and saving how far each client has read. The shell
 * calls `sweep` about once a second, and `flush` after it.
 */
import { randomInt } from "node:crypto";
import { type ClaimedQueue, deleteEventQueues, rowLagSecs, saveCursors } from "../../storage/event-queues.ts";
import type { LogPosition } from "../../storage/ids.ts";
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
/** Seconds after which a stream ends. Its client comes again, is authenticated again, and may reach another node. */
const maxStreamSecs = 3600;
/** How long a writer may take to give heartbeats a position. */
const heartbeatPatienceSecs = 5;
/** Rows written at a time, once a second. */
const flushSlice = 2000;
/** Queues visited in one turn of the event loop. */
const sweepSlice = 500;

/** The realm that the queues belong to. */
export interface KeptRealm {
  readonly database: Database;
  readonly environment: RealmEnvironment;
  /** The newest log position applied here. */
  readonly position: LogPosition;
  /** Publishes an event that is not stored. */
  publish(entry: Entry): void;
}

export class Upkeep {
  readonly #wheel: TimerWheel<EventQueue>;
  #wantsHeartbeat: EventQueue[] = [];
  /** When a position for heartbeats was asked for. 0: none is awaited. */
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

  /** The queue has ended: the next `flush` deletes its row. */
  forget(queue: ClaimedQueue): void {
    this.#toDelete.set(queue.id, { id: queue.id, claim: queue.claim });
  }

  /** Whether the queue has ended while its row may still be there. */
  forgets(queueId: string): boolean {
    return this.#toDelete.has(queueId);
  }

  /** Has the next `flush` save how far the queue's client has read. */
  save(queue: EventQueue): void {
    this.#toSave.push(queue);
  }

  get hasUnsaved(): boolean {
    return this.#toSave.length > 0 || this.#toDelete.size > 0;
  }

  /** Does what is due, by the steady clock. Returns false when there is more to do at once. */
  sweep(now: number): boolean {
    const done = this.#wheel.sweep(now, sweepSlice, (queue) => this.#check(queue, now));
    if (this.#wantsHeartbeat.length > 0 && done) {
      // If the writer does not answer for a while, the newest position that this node knows is used.
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
  heartbeat(position: LogPosition): void {
    this.#heartbeatAskedAt = 0;
    const beat: LogEntry = { position, bytes: 0, event: { type: "heartbeat" } };
    for (const queue of this.#wantsHeartbeat.splice(0)) {
      if (!queue.parked || queue.parked.isStream || queue.backlog.length > 0) continue;
      // Without a writer there may be no new place: ids only go up, so the answer is empty then. The client's next poll
      // acknowledges a heartbeat, and the queue need not keep it.
      if (position > queue.cursor) queue.backlog = [beat];
      this.fanOut.answer(queue);
      queue.backlog = [];
    }
  }

  /** Saves what the sweeps found: which queues have ended, and how far the others' clients have read. */
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
      // Another node has them, and its claim did not reach this one.
      for (const id of lost) this.lost(id);
    } catch (error) {
      throw translate(error);
    }
  }

  /** Schedules the queue's next check, in case no poll comes before. */
  schedule(queue: EventQueue, now: number): void {
    const { limits } = this.realm.environment;
    let at: number;
    if (queue.parked) at = Math.max(now + 1, queue.parkedAt + heartbeatAfterSecs + randomInt(heartbeatSpreadSecs));
    else if (queue.state === "live") at = queue.seenAt + Math.min(queue.idleTimeoutSecs + 1, limits.idleAfterSecs);
    else at = queue.seenAt + queue.idleTimeoutSecs + 1;
    // A poll may be parked by then: the check comes in time for its heartbeat.
    queue.checkAt = Math.max(now + 1, Math.min(at, now + heartbeatAfterSecs));
    this.#wheel.schedule(queue, queue.checkAt);
  }

  /** The next check may be set for a heartbeat, while a short time-out ends before that. */
  checkSooner(queue: EventQueue): void {
    // One second more, since `seenAt` may be almost a second later than it says.
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

  /** Sends a heartbeat. For a stream it is a comment, which has no position in the log. */
  #beat(queue: EventQueue, waiter: Waiter, now: number): void {
    if (!waiter.isStream) this.#wantsHeartbeat.push(queue);
    else if (now - waiter.openedAt >= maxStreamSecs) this.fanOut.answer(queue);
    else {
      queue.parkedAt = now;
      this.fanOut.beat(queue, waiter);
    }
  }
}
