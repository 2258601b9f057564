/**
 * The writer's half of a realm: decide → group commit → apply → reply → publish.
 *
 * Sends change nothing that the next decision depends on, so all waiting sends are decided at once and committed by one
 * statement. Changes of one kind that many people make (`commit/group.ts`) are committed together too. Other commands
 * are decided in the order of a mailbox. They share a transaction for a short while. One that changes the realm's state
 * ends it, so that the next is decided on the new state. One commit is under way at a time. What arrives meanwhile is
 * the next batch, so batches grow as the disk gets slower. Whose turn it is, `commit/waiting.ts` says. A long command
 * gives up its turn after each of its parts (`Tx.later`).
 *
 * A commit that gets no answer is given up after a while. Then, as after a failed one, nobody knows what the disk
 * holds. The writer stops for good (`onFailure`), the realm is loaded again, and the fate of the commit is looked up
 * (`commit/in-doubt.ts`). Commands that were stored are answered. The others are handed back as `NotBegun`.
 */
import type { LogPosition } from "../../storage/ids.ts";
import {
  type Database,
  isUndone,
  mayBeLoss,
  StorageRefusesChanges,
  StorageUnavailable,
  translate,
} from "../../storage/postgres.ts";
import { isAtWork, type LogRow, logDay, rollPartitions, type WriterTerm } from "../../storage/realm-log.ts";
import { timely } from "../../storage/timely.ts";
import { preciseNow, type Tracer } from "../tracing.ts";
import type { AuditedTables, Cause } from "./commit/audit.ts";
import type { Batch, BatchContext, Decided } from "./commit/batch.ts";
import { CommandBatch } from "./commit/command-batch.ts";
import { CommitHealth } from "./commit/commit-health.ts";
import { traceCommit } from "./commit/commit-trace.ts";
import { GroupBatch } from "./commit/group-batch.ts";
import { type Done, overdueMs, tellOutcome } from "./commit/in-doubt.ts";
import { outcomeOf } from "./commit/outcomes.ts";
import { placesAhead, Reserves } from "./commit/reserves.ts";
import { SendBatch } from "./commit/send-batch.ts";
import { Waiting } from "./commit/waiting.ts";
import { NotBegun, type Pending, restOf, type Work } from "./commit/work.ts";
import type { Entry, LogEntry } from "./entry.ts";
import { toRow } from "./log-row.ts";
import type { Moment } from "./read-lease.ts";
import type { RealmState } from "./state/state.ts";

export interface WriterOptions {
  database: Database;
  state: RealmState;
  term: WriterTerm & { reserved: LogPosition };
  /** Tables whose changes are in the audit log. */
  audits: AuditedTables;
  /** UNIX seconds */
  clock: () => number;
  /** How long to look for what became of a commit. */
  patienceMs: number;
  tracer?: Tracer | undefined;
  /** A commit has shown that PostgreSQL had no newer epoch at that moment. */
  onFenced(at: Moment): void;
  /**
   * Committed entries, in order, each once: apply, deliver, and tell the other nodes. `rows` are the stored form.
   * @param traces spans of the commit, of the traces that it is in
   */
  onCommitted(entries: LogEntry[], rows: LogRow[], traces: readonly string[]): void;
  /** The writer is finished: fenced, or a commit failed. */
  onFailure(error: unknown): void;
  /** @param stats `requests` names those that have a name */
  onBatch(stats: { commands: number; seconds: number; requests(): string[] }): void;
}

export class Writer {
  readonly #options: WriterOptions;
  readonly #term: WriterTerm;
  readonly #waiting = new Waiting();
  #ephemeral: Entry[] = [];
  #running = false;
  readonly #onIdle: (() => void)[] = [];
  readonly #onCommitOver: (() => void)[] = [];
  #stopped: unknown;
  readonly #reserves: Reserves;
  readonly #health = new CommitHealth();
  /** The newest day that the log has a partition for. */
  #day: number | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    const { database, term, state } = options;
    this.#term = { realmId: term.realmId, epoch: term.epoch };
    this.#reserves = new Reserves(database, term, state.position, (error) => this.#notSetAside(error));
  }

  /** Why changes cannot be made. @param patienceMs that a commit may take */
  trouble(patienceMs: number): string | undefined {
    return this.#health.trouble(patienceMs);
  }

  get depth(): number {
    return this.#waiting.size;
  }

  /** A commit has been under way for so long that others may have read it from PostgreSQL. */
  get hasSlowCommit(): boolean {
    return this.#health.isSlow;
  }

  /** Resolves when the commit under way is over, and applied if it was stored. Never, if nobody knows that. */
  commitOver(): Promise<void> {
    return new Promise((resolve) => this.#onCommitOver.push(resolve));
  }

  /**
   * Decides and commits a command. Resolves after it is durable and applied, with the last position it caused.
   *
   * @param onPart a part of it is durable, and more is to come
   * @param cause for the audit log
   */
  submit<R>(work: Work<R>, onPart?: () => void, cause?: Cause): Promise<{ reply: R; position: LogPosition }> {
    if (this.#stopped !== undefined) return Promise.reject(new NotBegun());
    return new Promise((resolve, reject) => {
      const waitsSince = cause?.from?.trace === undefined ? undefined : preciseNow();
      const pending: Pending<R> = { work, resolve, reject, onPart, cause, waitsSince };
      this.#waiting.add(pending);
      this.#wake();
    });
  }

  /** Publishes an event that is not stored (typing, presence): in order with the others, lost with the process. */
  publish(entry: Entry): void {
    if (this.#stopped !== undefined) return;
    this.#ephemeral.push(entry);
    this.#wake();
  }

  /** Takes nothing more, and ends when what it had begun is done. The rest is handed back as `NotBegun`. */
  async stop(): Promise<void> {
    this.#stopped ??= new NotBegun();
    this.#handBack();
    if (this.#running) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  #wake(): void {
    if (this.#running) return;
    this.#running = true;
    // Everything that arrives in this tick shares the first batch.
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    try {
      while (this.#stopped === undefined && (this.depth > 0 || this.#ephemeral.length > 0)) {
        if (this.#ephemeral.length > 0) await this.#publishEphemeral();
        if (this.depth === 0) break;
        const { refusal } = this.#options.database;
        if (refusal !== undefined) {
          this.#notSetAside(new StorageRefusesChanges(refusal));
          continue;
        }
        if (!this.#reserves.hasPlacesForBatch) {
          await this.#reserves.reservePlaces();
          // After a large batch was rolled back one block may not be enough.
          continue;
        }
        if (!this.#reserves.hasPlaces(placesAhead)) void this.#reserves.reservePlaces();
        if (!this.#reserves.hasIdsForBatch) {
          await this.#reserves.fetchIds();
          continue;
        }
        await this.#prepareDay();
        this.#health.begin();
        const now = this.#options.clock();
        const batch = this.#nextBatch(now);
        if (batch) await this.#commit(batch, now);
        this.#health.end();
        for (const resolve of this.#onCommitOver.splice(0)) resolve();
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#running = false;
      this.#health.end();
      for (const resolve of this.#onIdle.splice(0)) resolve();
      if (this.#stopped === undefined && (this.depth > 0 || this.#ephemeral.length > 0)) this.#wake();
    }
  }

  /** Makes sure that the log has a partition for the clock's day, even if the clock was set. */
  async #prepareDay(): Promise<void> {
    const { clock, database } = this.#options;
    const now = clock();
    if (logDay(now) === this.#day) return;
    try {
      await this.#timely(rollPartitions(database, now));
      this.#day = logDay(now);
    } catch (error) {
      // The commit will be refused too, and tells its callers.
      if (!isUndone(translate(error))) throw error;
    }
  }

  /** A batch of the kind whose turn it is. Undefined: the writer was stopped meanwhile, and all were handed back. */
  #nextBatch(now: number): Batch | undefined {
    const { state, database, audits } = this.#options;
    const context: BatchContext = {
      database,
      term: this.#term,
      state,
      audits,
      reserves: this.#reserves,
      waiting: this.#waiting,
      now,
      timely: (work, session) => this.#timely(work, session),
    };
    switch (this.#waiting.next()) {
      case "sends":
        return new SendBatch(context);
      case "groups":
        return new GroupBatch(context);
      case "commands":
        return new CommandBatch(context, this.#waiting.commands);
      case "parts":
        return new CommandBatch(context, this.#waiting.parts);
      case undefined:
        return undefined;
    }
  }

  /** Decides and stores a batch, applies it, and answers. A failed one is handed back or looked up. */
  async #commit(batch: Batch, now: number): Promise<void> {
    const started = performance.now();
    const { database, tracer } = this.#options;
    const { unreplicated } = database;
    const startedAt = tracer === undefined ? 0 : preciseNow();
    try {
      await batch.store();
      if (database.unreplicated !== unreplicated)
        throw new StorageUnavailable("somebody ended the wait for a standby to have a commit");
    } catch (error) {
      const { cause, undecided } = batch.failed(error);
      const tried = [...batch.done.map(({ pending }) => pending), ...(undecided ?? [])];
      traceCommit(tracer, tried, { commands: tried.length, startedAt, failure: "it was not stored, or nobody knows" });
      // Nothing was done, and that is certain: the replica stays good.
      const isCertain = this.#health.failed(cause);
      if (!undecided) return;
      this.#lookUp(cause, batch, undecided);
      if (!isCertain) throw cause;
      return;
    }
    if (batch.fencedAt) this.#options.onFenced(batch.fencedAt);
    const last = batch.rows.at(-1);
    if (last) this.#term.predecessor = { position: last.position, loggedAt: now };
    // A batch that wrote nothing does not show that changes are taken again.
    if (batch.changes) this.#health.stored();
    if (batch.done.length === 0) return;
    const seconds = (performance.now() - started) / 1000;
    const requests = () => batch.done.flatMap(({ pending }) => pending.cause?.from?.request ?? []);
    this.#options.onBatch({ commands: batch.done.length, seconds, requests });
    const entries = batch.done.flatMap((one) => one.entries);
    const commands = batch.done.length;
    const traces = tracer
      ? traceCommit(
          tracer,
          batch.done.map(({ pending }) => pending),
          { commands, startedAt },
        )
      : [];
    if (entries.length > 0) this.#options.onCommitted(entries, batch.rows, traces);
    for (const one of batch.done) this.#settle(one, performance.now() - started);
  }

  #settle({ pending, reply, entries, turns = [], storedRest }: Decided, partMs: number): void {
    const outcome = { reply, position: entries.at(-1)?.position ?? this.#options.state.position };
    if (turns.length > 0) {
      pending.onPart?.();
      if (storedRest === "answered before") pending.resolve(outcome);
      this.#waiting.addRest(restOf(pending, reply, turns, storedRest && outcome), partMs);
      return;
    }
    pending.work.committed?.(reply);
    pending.resolve(outcome);
  }

  /** Tells those whose commit failed what became of it, as soon as that is known. */
  #lookUp(error: unknown, batch: Batch, undecided: readonly Pending[]): void {
    const { database, term, state, patienceMs } = this.#options;
    const position = batch.rows.at(-1)?.position ?? state.position;
    const commands: Done[] = [
      ...batch.done.map((one) => ({ ...one, position: one.entries.at(-1)?.position ?? position })),
      ...undecided.map((pending) => ({ pending, position })),
    ];
    // The epoch may be closed when no read is answered by it any more: after this turn, in which the writer fails.
    if (mayBeLoss(error)) setImmediate(() => void tellOutcome(database, term, error, batch, commands, patienceMs));
    else for (const { pending } of commands) pending.reject(outcomeOf(error));
  }

  /** @param session that has the fence, once it is known @throws Overdue */
  #timely<T>(work: Promise<T>, session: () => number | undefined = () => undefined): Promise<T> {
    const { database, term } = this.#options;
    return timely(database, overdueMs, work, () => isAtWork(database.sql, term, session()));
  }

  async #publishEphemeral(): Promise<void> {
    const lacksPlaces = () => this.#ephemeral.length > 0 && !this.#reserves.hasPlaces(this.#ephemeral.length + 1);
    while (lacksPlaces() && this.#stopped === undefined) await this.#reserves.reservePlaces();
    if (this.#stopped !== undefined || this.#ephemeral.length === 0) return;
    const entries = this.#ephemeral
      .splice(0, placesAhead / 2)
      .map((entry) => this.#reserves.place({ ...entry, isUnstored: true }));
    this.#options.onCommitted(entries, entries.map(toRow), []);
  }

  /**
   * No positions or ids could be reserved, or nothing may be stored. If it is certain that nothing was done, those who
   * wait are told. Otherwise the term is over.
   */
  #notSetAside(error: unknown): void {
    if (!this.#health.failed(error)) {
      this.#fail(error);
      return;
    }
    this.#ephemeral = [];
    for (const pending of this.#waiting.takeAll()) pending.reject(outcomeOf(error));
  }

  #fail(error: unknown): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = error;
    this.#handBack();
    this.#options.onFailure(error);
  }

  #handBack(): void {
    for (const pending of this.#waiting.takeAll()) pending.reject(new NotBegun());
  }
}
