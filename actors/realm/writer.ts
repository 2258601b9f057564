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
  Overdue,
  StorageRefusesChanges,
  StorageUnavailable,
  translate,
} from "../../storage/postgres.ts";
import {
  appendLog,
  commitSends,
  type Fenced,
  fence,
  isAtWork,
  type LogRow,
  logDay,
  rollPartitions,
  type WriterTerm,
} from "../../storage/realm-log.ts";
import { timely } from "../../storage/timely.ts";
import { CommandBatch } from "./commit/command-batch.ts";
import { type Decisions, decideGroup, decideSends, placeDecisions } from "./commit/decide.ts";
import { type Commit, type Done, overdueMs, tellOutcome } from "./commit/in-doubt.ts";
import { CommandFailed, outcomeOf, refusalOf } from "./commit/outcomes.ts";
import { placesAhead, Reserves } from "./commit/reserves.ts";
import { Waiting } from "./commit/waiting.ts";
import { NotBegun, type Pending, restOf, takeGroup, type Work } from "./commit/work.ts";
import type { Entry, LogEntry } from "./entry.ts";
import { toRow } from "./log-row.ts";
import type { RealmState } from "./state/state.ts";

export interface WriterOptions {
  database: Database;
  state: RealmState;
  term: WriterTerm & { reserved: LogPosition };
  /** UNIX seconds */
  clock: () => number;
  /** How long to look for what became of a commit. */
  patienceMs: number;
  /** Committed entries, in order, each once: apply, deliver, and tell the other nodes. `rows` are the stored form. */
  onCommitted(entries: LogEntry[], rows: LogRow[]): void;
  /** The writer is finished: fenced, or a commit failed. */
  onFailure(error: unknown): void;
  onBatch(stats: { commands: number; seconds: number }): void;
}

/** How long a refused commit counts as trouble. */
const refusalCountsMs = 10_000;
/** Changes committed as one group: a few milliseconds of PostgreSQL's time. */
const maxGroupSize = 500;
/** Other nodes wait a tenth of a second for a commit to be published. Then they read it from PostgreSQL. */
const slowCommitMs = 75;

export class Writer {
  readonly #options: WriterOptions;
  readonly #waiting = new Waiting();
  #ephemeral: Entry[] = [];
  #running = false;
  readonly #onIdle: (() => void)[] = [];
  #stopped: unknown;
  readonly #reserves: Reserves;
  /** When the commit under way began. */
  #commitSince: number | undefined;
  /** The newest day that the log has a partition for. */
  #day: number | undefined;
  /** Why the last commit was refused. Undefined: it was not. */
  #refused: { reason: string; at: number } | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    const { database, term, state } = options;
    this.#reserves = new Reserves(database, term, state.position, (error) => this.#notSetAside(error));
  }

  /** Why changes cannot be made: the last commit was refused, or one is under way for longer than `patienceMs`. */
  trouble(patienceMs: number): string | undefined {
    if (this.#commitSince !== undefined && performance.now() - this.#commitSince > patienceMs)
      return "a commit hangs in the database";
    // A node in trouble gets no traffic, so no commit may come to show that the trouble is over.
    return this.#refused && performance.now() - this.#refused.at < refusalCountsMs ? this.#refused.reason : undefined;
  }

  get depth(): number {
    return this.#waiting.size;
  }

  /** A commit has been under way for so long that others may have read it from PostgreSQL. */
  get hasSlowCommit(): boolean {
    return this.#commitSince !== undefined && performance.now() - this.#commitSince > slowCommitMs;
  }

  /**
   * Decides and commits a command. Resolves after it is durable and applied, with the last position it caused.
   *
   * @param onPart a part of it is durable, and more is to come
   */
  submit<R>(work: Work<R>, onPart?: () => void): Promise<{ reply: R; position: LogPosition }> {
    if (this.#stopped !== undefined) return Promise.reject(new NotBegun());
    return new Promise((resolve, reject) => {
      this.#waiting.add({ work, resolve, reject, onPart } as unknown as Pending);
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
        this.#commitSince = performance.now();
        await this.#commitNext();
        this.#commitSince = undefined;
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#running = false;
      this.#commitSince = undefined;
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

  /**
   * Commits a batch of the kind whose turn it is; nothing if it was stopped meanwhile, which hands all of them back.
   */
  async #commitNext(): Promise<void> {
    switch (this.#waiting.next()) {
      case "sends":
        return this.#commitSends();
      case "groups":
        return this.#commitGroup();
      case "commands":
        return this.#commitCommands(this.#waiting.commands);
      case "parts":
        return this.#commitCommands(this.#waiting.parts);
    }
  }

  /** Decides and commits what waits of the kind that has waited longest. */
  async #commitGroup(): Promise<void> {
    const { state, clock, database, term } = this.#options;
    const now = clock();
    const started = performance.now();
    const { taken, left } = takeGroup(this.#waiting.groups, maxGroupSize);
    this.#waiting.groups = left;
    const kind = taken[0]!.work.grouped!;
    let decisions: Decisions;
    try {
      decisions = await this.#timely(decideGroup(database, state, taken));
    } catch (error) {
      const cause = translate(error);
      if (cause instanceof StorageUnavailable) {
        // Nothing was written yet.
        const undecided = taken.map((pending) => ({ pending, position: state.position }));
        this.#lookUp(cause, { rows: [], wasAsked: false }, undecided);
        if (!this.#noteRefusal(cause)) throw cause;
        return;
      }
      // One of them is at fault, so each is decided by itself.
      this.#waiting.commands.push(...taken);
      return;
    }
    const done = placeDecisions(taken, decisions, this.#reserves);
    const rows = done.flatMap(({ entries }) => entries.map(toRow));
    const writes = done.flatMap(({ decision }) => decision.writes);
    try {
      if (writes.length + rows.length > 0) await this.#timely(kind.commit(database, term, writes, rows, now));
    } catch (error) {
      const commands = done.map(({ pending, decision, entries: own }) => ({
        pending,
        reply: decision.reply,
        position: own.at(-1)?.position ?? state.position,
      }));
      this.#lookUp(error, { rows, wasAsked: true }, commands);
      if (!this.#noteRefusal(error)) throw error;
      return;
    }
    // What wrote nothing does not show that changes are taken again.
    if (writes.length + rows.length > 0) this.#refused = undefined;
    this.#options.onBatch({ commands: done.length, seconds: (performance.now() - started) / 1000 });
    const entries = done.flatMap((one) => one.entries);
    if (entries.length > 0) this.#options.onCommitted(entries, rows);
    for (const { pending, decision, entries: own } of done) {
      pending.work.committed?.(decision.reply);
      pending.resolve({ reply: decision.reply, position: own.at(-1)?.position ?? state.position });
    }
  }

  async #commitSends(): Promise<void> {
    const { state, clock, database, term } = this.#options;
    const now = clock();
    const { sends, taken, slow } = decideSends(this.#waiting.sends, state, this.#reserves, now);
    this.#waiting.sends.splice(0, taken);
    // It becomes the head of the next batch of commands, before the sends after it.
    if (slow) this.#waiting.commands.unshift(slow);
    if (sends.length === 0) return;
    const entries = sends.map(({ send }) => this.#reserves.place(send.entry));
    const rows = entries.map(toRow);
    const started = performance.now();
    try {
      const messages = sends.map(({ send }) => send.message);
      await this.#timely(commitSends(database, term, messages, rows, now));
    } catch (error) {
      const done = sends.map(({ pending, send }, index) => ({
        pending,
        reply: send.reply,
        position: entries[index]!.position,
      }));
      this.#lookUp(error, { rows, wasAsked: true }, done);
      // Nothing was done, and that is certain: the replica stays good.
      if (!this.#noteRefusal(error)) throw error;
      return;
    }
    this.#refused = undefined;
    this.#options.onBatch({ commands: sends.length, seconds: (performance.now() - started) / 1000 });
    this.#options.onCommitted(entries, rows);
    sends.forEach(({ pending, send }, index) => {
      pending.work.committed?.(send.reply);
      pending.resolve({ reply: send.reply, position: entries[index]!.position });
    });
  }

  /** @param waiting those of one kind; as many as fit are taken */
  async #commitCommands(waiting: Pending[]): Promise<void> {
    const { state, clock, database, term } = this.#options;
    const now = clock();
    const batch = new CommandBatch(waiting, state, this.#reserves, now);
    const { done, rows, started } = batch;
    let claimed = 0;
    let wasAsked = false;
    let isGivenUp = false;
    let fenced: Fenced | undefined;
    try {
      const commit = database.transaction(async (sql) => {
        fenced = await fence(sql, term);
        await batch.decide(sql);
        claimed = await this.#reserves.claimTaken(sql);
        await appendLog(sql, term.realmId, rows, now);
        if (isGivenUp) throw new Overdue("the commit was given up");
        wasAsked = true;
      });
      await this.#timely(commit, () => fenced?.pid);
    } catch (error) {
      isGivenUp = true;
      this.#undo(error, { rows, wasAsked, fenced }, batch, waiting);
      return;
    }
    if (rows.length > 0) this.#refused = undefined;
    this.#reserves.claimed(claimed);
    this.#options.onBatch({ commands: done.length, seconds: (performance.now() - started) / 1000 });
    const entries = done.flatMap((command) => command.entries);
    if (entries.length > 0) this.#options.onCommitted(entries, rows);
    for (const { pending, reply, entries, turns } of done) {
      if (turns.length > 0) {
        pending.onPart?.();
        this.#waiting.addRest(restOf(pending, reply, turns), performance.now() - started);
        continue;
      }
      pending.work.committed?.(reply);
      pending.resolve({ reply, position: entries.at(-1)?.position ?? state.position });
    }
  }

  /** After a batch was rolled back: the command at fault is told, and the others are again the first that wait. */
  #undo(error: unknown, commit: Commit, { taken, done }: CommandBatch, waitingNow: Pending[]): void {
    const waiting = new Set(done.map(({ pending }) => pending));
    const cause = error instanceof CommandFailed ? translate(error.cause) : error;
    const isRefused = this.#noteRefusal(cause);
    if (error instanceof CommandFailed && !mayBeLoss(cause)) {
      error.pending.reject(refusalOf(cause));
      waitingNow.unshift(...taken.filter((pending) => waiting.has(pending)));
      return;
    }
    const position = commit.rows.at(-1)?.position ?? 0;
    // Refused commands were answered already. Undecided ones were not stored.
    const undecided = taken.filter((pending) => !waiting.has(pending)).map((pending) => ({ pending, position }));
    this.#lookUp(cause, commit, [...done.map((command) => ({ ...command, position })), ...undecided]);
    if (!isRefused) throw cause;
  }

  /** Tells those whose commit failed what became of it, as soon as that is known. */
  #lookUp(error: unknown, commit: Commit, commands: readonly Done[]): void {
    const { database, term, patienceMs } = this.#options;
    // The epoch may be closed when no read is answered by it any more: after this turn, in which the writer fails.
    if (mayBeLoss(error)) setImmediate(() => void tellOutcome(database, term, error, commit, commands, patienceMs));
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
    const entries = this.#ephemeral.splice(0, placesAhead / 2).map((entry) => this.#reserves.place(entry));
    this.#options.onCommitted(entries, entries.map(toRow));
  }

  /**
   * No positions or ids could be reserved. If it is certain that nothing was done, those who wait are told. Otherwise
   * the term is over.
   */
  #notSetAside(error: unknown): void {
    if (!this.#noteRefusal(error)) {
      this.#fail(error);
      return;
    }
    this.#ephemeral = [];
    for (const pending of this.#waiting.takeAll()) pending.reject(outcomeOf(error));
  }

  /** Returns whether nothing was done, and that is certain. */
  #noteRefusal(error: unknown): boolean {
    if (error instanceof StorageRefusesChanges) this.#refused = { reason: error.message, at: performance.now() };
    return isUndone(error);
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
