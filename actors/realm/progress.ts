/**
 * How far this node has applied a realm's log, and waiting until it has come further. The log's stream brings entries a
 * moment after they were committed; when it does not, because Redis is gone or forgot them, they are read from
 * PostgreSQL.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { LogPosition, RealmId } from "../../storage/ids.ts";
import type { Database } from "../../storage/postgres.ts";
import { readEnd, readEpoch } from "../../storage/realm-log.ts";
import { timely } from "../../storage/timely.ts";
import { SharedWork } from "./shared-work.ts";
import { type Moment, thisMoment } from "./term.ts";

/** How long the stream may take to bring what was committed before it is read from PostgreSQL instead. */
const streamPatienceMs = 100;
/** How late the stream may be when there is nothing else to wait for. */
const lateStreamMs = 1000;
/**
 * How long the stream may take to bring what the writer says it has. It is the only way for what no disk keeps, and it
 * works where the writer could answer, so a node that waits is only busy. A writer's next beat tells of what Redis
 * forgot.
 */
const unstoredPatienceMs = 5000;
/** How long PostgreSQL may take to say how long the log is before the writer is asked too. */
const storagePatienceMs = 250;

/** An answer that takes longer was lost: it is asked for again, by another connection. */
const endOverdueMs = 2000;

/** Whose progress it is. */
export interface ProgressingRealm {
  readonly id: RealmId;
  readonly database: Database;
  /** The newest log position applied here. */
  readonly position: LogPosition;
}

export class Progress {
  #waiting: { position: LogPosition; resolve(): void }[] = [];
  readonly #catchingUp: SharedWork;
  readonly #reachingEnd = new SharedWork(() => this.#reachEnd());
  readonly #askingStorage: SharedWork;
  readonly #askingEpoch: SharedWork;
  readonly #reachingWriter: SharedWork<LogPosition | undefined>;

  /**
   * @param readOn applies what the log in PostgreSQL has and this node does not
   * @param askWriter for its position
   * @param heardEpoch told of the newest writer's epoch, and when PostgreSQL was asked for it
   */
  constructor(
    private readonly realm: ProgressingRealm,
    readOn: () => Promise<void>,
    askWriter: () => Promise<LogPosition>,
    heardEpoch: (epoch: number, askedAt: Moment) => void,
  ) {
    this.#catchingUp = new SharedWork(readOn);
    this.#reachingWriter = new SharedWork(async () => {
      const position = await askWriter().catch(() => undefined);
      if (position !== undefined) await this.#streamed(position, unstoredPatienceMs);
      return position;
    });
    this.#askingEpoch = new SharedWork(async () => {
      const askedAt = thisMoment();
      heardEpoch(await readEpoch(realm.database.vital.sql, realm.id), askedAt);
    });
    this.#askingStorage = new SharedWork(async () => {
      const askedAt = thisMoment();
      const { vital } = realm.database;
      const { position, epoch } = await timely(vital, endOverdueMs, readEnd(vital.sql, realm.id));
      heardEpoch(epoch, askedAt);
      await this.reached(position);
    });
  }

  /** Entries were applied: called after `position` of the realm rose. */
  moved(): void {
    if (this.#waiting.length === 0) return;
    const { position: now } = this.realm;
    const reached = this.#waiting.filter(({ position }) => position <= now);
    this.#waiting = this.#waiting.filter(({ position }) => position > now);
    for (const { resolve } of reached) resolve();
  }

  /** Resolves when this node has applied whatever the log holds up to `position`. */
  async reached(position: LogPosition): Promise<void> {
    if (await this.#streamed(position, streamPatienceMs)) return;
    const caughtUp = this.catchUp();
    const isCaughtUp = caughtUp.then(
      () => true,
      () => false,
    );
    if (!(await this.#comes(position, isCaughtUp))) await caughtUp;
  }

  /**
   * Resolves when this node has applied everything that was committed before this call. PostgreSQL knows how much that
   * is, and who writes: one question for all who come meanwhile. A node that gets no answer asks the writer, which has
   * one.
   *
   * @throws StorageUnavailable when neither told
   */
  reachEnd(): Promise<void> {
    return this.#reachingEnd.run();
  }

  /**
   * Has the node that writes hear whether another one has written since: nobody does without a newer epoch, so there is
   * no need to ask how long the log is.
   *
   * @throws StorageUnavailable
   */
  hearEpoch(): Promise<void> {
    return this.#askingEpoch.run();
  }

  /**
   * Resolves when this node has applied what the writer had before this call, also what no disk keeps. When there is no
   * writer to tell how much that is, at once: nobody else knows it either.
   *
   * @returns the writer's position, if there was one to tell
   */
  reachWriter(): Promise<LogPosition | undefined> {
    return this.#reachingWriter.run();
  }

  /** Reads the log on from PostgreSQL. */
  catchUp(): Promise<void> {
    return this.#catchingUp.run();
  }

  async #reachEnd(): Promise<void> {
    const reached = this.#askingStorage.run();
    const isReached = reached.then(
      () => true,
      () => false,
    );
    if (await Promise.race([isReached, delay(storagePatienceMs, false)])) return;
    // PostgreSQL may be out of reach while the writer answers, or the other way round.
    if (await eitherOf(this.#reachesWriter(), isReached)) return;
    await reached;
  }

  /** Whether there was a writer to tell its position, and this node has applied what comes before it. */
  async #reachesWriter(): Promise<boolean> {
    const position = await this.reachWriter();
    return position !== undefined && this.#streamed(position, lateStreamMs);
  }

  /** Whether the log up to `position` comes from anywhere: by the stream, or as `isReached` tells. */
  #comes(position: LogPosition, isReached: Promise<boolean>): Promise<boolean> {
    return eitherOf(this.#streamed(position, lateStreamMs), isReached);
  }

  /** Whether the stream brings the log up to `position` in time. */
  async #streamed(position: LogPosition, patienceMs: number): Promise<boolean> {
    if (this.realm.position >= position) return true;
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), patienceMs);
      const arrived = () => {
        clearTimeout(timer);
        resolve(true);
      };
      this.#waiting.push({ position, resolve: arrived });
    });
  }
}

/** True as soon as one of them is; false when both are. */
const eitherOf = async (one: Promise<boolean>, other: Promise<boolean>): Promise<boolean> =>
  (await Promise.race([one, other])) || (await one) || other;
