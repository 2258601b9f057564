/**
 * How far this node has applied a realm's log, and waiting until it has applied more. The log's stream brings entries a
 * moment after they were committed. When Redis is gone or has lost them, entries are read from PostgreSQL.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { LogPosition, RealmId } from "../../storage/ids.ts";
import { type Database, StorageUnavailable, translate } from "../../storage/postgres.ts";
import { readEnd, readEpoch } from "../../storage/realm-log.ts";
import { timely } from "../../storage/timely.ts";
import { inTime } from "../in-time.ts";
import { type Moment, thisMoment } from "./read-lease.ts";
import { SharedWork } from "./shared-work.ts";

/** How long to wait for the stream to bring a committed entry. Then it is read from PostgreSQL. */
const streamPatienceMs = 100;
/** How late the stream may be when there is nothing else to wait for. */
const lateStreamMs = 1000;
/**
 * How long to wait for the stream to bring what the writer says it has. Nothing else brings events that are not stored.
 * Where the writer could answer the stream works too, so a wait means that this node is busy. The writer's next
 * announcement tells of what Redis forgot.
 */
const unstoredPatienceMs = 5000;
/** How long to wait for PostgreSQL to tell the log's end. Then the writer is asked too. */
const storagePatienceMs = 250;

/** A question that takes longer counts as lost, and is asked again by another connection. */
const endOverdueMs = 2000;

/** Pause between two attempts to learn the log's end. */
const retryMs = 50;

/**
 * Resolves when a replica has all that was committed before, or the slow commit is over that alone it may lack.
 * @throws StorageUnavailable when nobody could tell within `withinMs`
 */
export async function untilAtEnd(
  progress: () => Progress,
  slowCommitOver: Promise<void> | undefined,
  withinMs: number,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      const reached = inTime(progress().reachEnd(), withinMs);
      return await (slowCommitOver ? Promise.race([slowCommitOver, reached]) : reached);
    } catch (error) {
      if (!(translate(error) instanceof StorageUnavailable) || performance.now() > deadline) throw translate(error);
      await delay(retryMs);
    }
  }
}

/** The realm that progresses. */
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
   * @param confirmEpoch told of the newest writer's epoch, and when PostgreSQL was asked for it
   * @param hasStream whether the stream is there to be waited for
   */
  constructor(
    private readonly realm: ProgressingRealm,
    readOn: () => Promise<void>,
    askWriter: () => Promise<LogPosition>,
    confirmEpoch: (epoch: number, askedAt: Moment) => void,
    private readonly hasStream: () => boolean,
  ) {
    this.#catchingUp = new SharedWork(readOn);
    this.#reachingWriter = new SharedWork(async () => {
      const position = await askWriter().catch(() => undefined);
      if (position !== undefined) await this.#streamed(position, unstoredPatienceMs);
      return position;
    });
    this.#askingEpoch = new SharedWork(async () => {
      const askedAt = thisMoment();
      confirmEpoch(await readEpoch(realm.database.vital.sql, realm.id), askedAt);
    });
    this.#askingStorage = new SharedWork(async () => {
      const askedAt = thisMoment();
      const { vital } = realm.database;
      const { position, epoch } = await timely(vital, endOverdueMs, readEnd(vital.sql, realm.id));
      confirmEpoch(epoch, askedAt);
      await this.reached(position);
    });
  }

  /** Called when the realm's `position` has risen. */
  moved(): void {
    if (this.#waiting.length === 0) return;
    const { position: now } = this.realm;
    const reached = this.#waiting.filter(({ position }) => position <= now);
    this.#waiting = this.#waiting.filter(({ position }) => position > now);
    for (const { resolve } of reached) resolve();
  }

  /** Resolves when this node has applied whatever the log holds up to `position`. */
  async reached(position: LogPosition): Promise<void> {
    if (await this.#streamed(position, this.hasStream() ? streamPatienceMs : 0)) return;
    const caughtUp = this.catchUp();
    const isCaughtUp = caughtUp.then(
      () => true,
      () => false,
    );
    if (!(await this.#comes(position, isCaughtUp))) await caughtUp;
  }

  /**
   * Resolves when this node has applied everything that was committed before this call. PostgreSQL knows how much that
   * is, and the newest epoch. All calls that come meanwhile share one question. A node that gets no answer asks the
   * writer.
   *
   * @throws StorageUnavailable when neither answers
   */
  reachEnd(): Promise<void> {
    return this.#reachingEnd.run();
  }

  /**
   * Tells the writer's node whether another node has become the writer. Nobody writes without a newer epoch, so the
   * log's end need not be asked for.
   *
   * @throws StorageUnavailable
   */
  checkEpoch(): Promise<void> {
    return this.#askingEpoch.run();
  }

  /**
   * Resolves when this node has applied what the writer had before this call, including events that are not stored.
   * Resolves at once when no writer answers: nobody else knows.
   *
   * @returns the writer's position, if there was one to tell
   */
  reachWriter(): Promise<LogPosition | undefined> {
    return this.#reachingWriter.run();
  }

  /** Whether this node has applied the log up to `position`, or comes to do so within a second by itself. */
  isSoonAt(position: LogPosition): Promise<boolean> {
    return this.#streamed(position, lateStreamMs);
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

  /** Whether a writer gave its position, and this node has applied the log up to there. */
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
