/** Log positions and message ids that PostgreSQL has reserved for a writer, so that a commit rarely waits for them. */
import type { LogPosition } from "../../../storage/ids.ts";
import { type Database, type Sql, translate } from "../../../storage/postgres.ts";
import { WriterFenced, type WriterTerm } from "../../../storage/realm-log.ts";
import { claimPositions, reserveMessageIds, reservePositions } from "../../../storage/realms.ts";
import { timely } from "../../../storage/timely.ts";
import type { Entry, LogEntry } from "../entry.ts";
import { overdueMs } from "./in-doubt.ts";

/** The most sends in one commit. Each takes a message id and at least one position. */
export const maxSends = 512;
const placesPerBatch = 4 * maxSends;
/** Positions reserved in advance. */
export const placesAhead = 8000;
const idsAhead = 300;

export class Reserves {
  readonly #database: Database;
  readonly #term: WriterTerm;
  #nextPosition: LogPosition;
  #reserved: number;
  #reserving: Promise<void> | undefined;
  #ids: { next: number; end: number }[] = [];
  #fetchingIds: Promise<void> | undefined;

  /**
   * @param position the last place that is taken
   * @param onRefusal told why nothing could be set aside
   */
  constructor(
    database: Database,
    term: WriterTerm & { reserved: number },
    position: LogPosition,
    private readonly onRefusal: (error: unknown) => void,
  ) {
    this.#database = database;
    this.#term = term;
    this.#nextPosition = position + 1;
    this.#reserved = term.reserved;
  }

  /** Whether so many places are left. */
  hasPlaces(count: number): boolean {
    return this.#nextPosition + count <= this.#reserved;
  }

  /** Whether a batch may begin. */
  get hasPlacesForBatch(): boolean {
    return this.hasPlaces(placesPerBatch);
  }

  get hasIdsForBatch(): boolean {
    return this.#idsLeft() >= maxSends;
  }

  /** Gives an entry its position. An event that older clients get in several parts takes a position for each. */
  place(entry: Entry): LogEntry {
    this.#nextPosition += entry.span ?? 1;
    return { ...entry, position: this.#nextPosition - 1, bytes: 0 };
  }

  /**
   * Reserves, within the transaction, the positions that a batch took beyond those it had.
   *
   * @returns what `claimed` is told once the transaction is durable
   */
  async claimTaken(sql: Sql): Promise<number> {
    if (this.#nextPosition - 1 <= this.#reserved) return 0;
    return claimPositions(sql, this.#term.realmId, this.#term.epoch, this.#nextPosition - 1);
  }

  /** All positions up to this one are reserved. */
  claimed(position: LogPosition): void {
    this.#reserved = Math.max(this.#reserved, position);
  }

  /** Resolves when more positions were asked for, and granted or refused. */
  reservePlaces(): Promise<void> {
    const { realmId, epoch } = this.#term;
    this.#reserving ??= timely(this.#database, overdueMs, reservePositions(this.#database, realmId, epoch))
      .then((reserved) => {
        if (reserved === undefined) throw new WriterFenced(`epoch ${epoch} of realm ${realmId} is over`);
        this.claimed(reserved);
      })
      .catch((error) => this.onRefusal(translate(error)))
      .finally(() => {
        this.#reserving = undefined;
      });
    return this.#reserving;
  }

  /** @throws Error when a batch takes more than `hasIdsForBatch` promised */
  takeId(): number {
    for (let block = this.#ids[0]; block; block = this.#ids[0]) {
      if (block.next === block.end) {
        this.#ids.shift();
        continue;
      }
      const id = block.next++;
      if (this.#idsLeft() < maxSends + idsAhead) void this.fetchIds();
      return id;
    }
    throw new Error("message ids ran out inside a batch");
  }

  /** Resolves when more ids were asked for, and granted or refused. */
  fetchIds(): Promise<void> {
    this.#fetchingIds ??= timely(this.#database, overdueMs, reserveMessageIds(this.#database))
      .then((block) => void this.#ids.push(block))
      .catch((error) => this.onRefusal(translate(error)))
      .finally(() => {
        this.#fetchingIds = undefined;
      });
    return this.#fetchingIds;
  }

  #idsLeft(): number {
    return this.#ids.reduce((left, block) => left + block.end - block.next, 0);
  }
}
