/**
 * The writer's half of a realm: decide → group commit → apply → reply → publish.
 *
 * Sends change nothing that the next decision depends on, so all that wait are decided at once and committed by one
 * statement. Other commands wait in a mailbox and are decided in its order. They share a transaction for a short while, as
 * long as none of them changes the realm's state; one that does ends its batch, so that the next is decided on the state
 * it left. One commit is under way at a time: what arrives meanwhile is the next batch, and the slower the disk the larger
 * the batches. Sends and other commands take turns, and a long command gives up its turn after each part of it
 * (`Tx.later`), so that nobody's sends wait for all that somebody else has asked for.
 *
 * After a commit failed nobody knows what the disk holds, so the writer stops for good (`onFailure`) and the realm is
 * loaded afresh; commands that had not begun are handed back with `NotBegun` and may be given to the next writer.
 */

import { type Database, StorageRefusesChanges, StorageUnavailable, translate } from "../../storage/postgres.ts";
import { appendLog, commitSends, fence, type LogRow, type WriterTerm } from "../../storage/realm-log.ts";
import { ApiError } from "../errors.ts";
import { CommandFailed, outcomeOf, refusalOf } from "./commit/outcomes.ts";
import { maxSends, placesAhead, Reserves } from "./commit/reserves.ts";
import { type FastSend, isRepeated, NotBegun, type Pending, restOf, type Work } from "./commit/work.ts";
import type { Entry, LogEntry } from "./entry.ts";
import { toRow } from "./log-row.ts";
import type { RealmState } from "./state/state.ts";
import { type Turn, Tx } from "./transaction.ts";

export interface WriterOptions {
  database: Database;
  state: RealmState;
  term: WriterTerm & { reserved: number };
  /** UNIX seconds */
  clock: () => number;
  /** Committed entries, in order, once each: apply them, deliver them, tell the other nodes. `rows` is the same as stored. */
  onCommitted(entries: LogEntry[], rows: LogRow[]): void;
  /** The writer is finished: fenced, or a commit failed. */
  onFailure(error: unknown): void;
  onBatch(stats: { commands: number; seconds: number }): void;
}

/** How long a refused commit tells of the next one. */
const refusalCountsMs = 10_000;
const maxCommands = 32;
/** Into a transaction that has lasted this long no further command is taken: others wait for its end. */
const maxCommitMs = 50;
/** The same for what is written down of it: one statement, and one message to the other nodes. */
const maxCommitBytes = 2 * 1024 * 1024;
/** Other nodes read from PostgreSQL what does not come from here within a tenth of a second. */
const slowCommitMs = 75;

export class Writer {
  readonly #options: WriterOptions;
  #mailbox: Pending[] = [];
  #sends: Pending[] = [];
  /** Whose turn it is, if both wait. */
  #sendsNext = true;
  #ephemeral: Entry[] = [];
  #running = false;
  readonly #onIdle: (() => void)[] = [];
  #stopped: unknown;
  readonly #reserves: Reserves;
  /** When the commit under way began. */
  #commitSince: number | undefined;
  /** What the last commit was refused for; undefined: it was not. */
  #refused: { reason: string; at: number } | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    const { database, term, state } = options;
    this.#reserves = new Reserves(database, term, state.position, (error) => this.#notSetAside(error));
  }

  /** Why changes cannot be made: the last commit was refused, or one has been under way for longer than `patienceMs`. */
  trouble(patienceMs: number): string | undefined {
    if (this.#commitSince !== undefined && performance.now() - this.#commitSince > patienceMs)
      return "a commit hangs in the database";
    // Nobody may try again while others get the traffic.
    return this.#refused && performance.now() - this.#refused.at < refusalCountsMs ? this.#refused.reason : undefined;
  }

  get depth(): number {
    return this.#mailbox.length + this.#sends.length;
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
  submit<R>(work: Work<R>, onPart?: () => void): Promise<{ reply: R; position: number }> {
    if (this.#stopped !== undefined) return Promise.reject(new NotBegun());
    return new Promise((resolve, reject) => {
      (work.fast ? this.#sends : this.#mailbox).push({ work, resolve, reject, onPart } as unknown as Pending);
      this.#wake();
    });
  }

  /** Publishes an event that no disk keeps (typing, presence): in order with the others, lost with the process. */
  publish(entry: Entry): void {
    if (this.#stopped !== undefined) return;
    this.#ephemeral.push(entry);
    this.#wake();
  }

  /** Takes nothing more and ends when what it had begun is done; the rest is handed back as `NotBegun`. */
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
        const takesSends = this.#sends.length > 0 && (this.#sendsNext || this.#mailbox.length === 0);
        this.#sendsNext = !takesSends;
        this.#commitSince = performance.now();
        if (takesSends) await this.#commitSends();
        else await this.#commitCommands();
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

  async #commitSends(): Promise<void> {
    const { state, clock, database, term } = this.#options;
    const now = clock();
    const sends: { pending: Pending; send: FastSend<unknown> }[] = [];
    let taken = 0;
    let bytes = 0;
    const keys = new Set<string>();
    for (; taken < this.#sends.length && taken < maxSends && bytes < maxCommitBytes; taken++) {
      const pending = this.#sends[taken]!;
      if (isRepeated(keys, pending.work)) break;
      try {
        const send = pending.work.fast!(state, () => this.#reserves.takeIds(1)[0]!, now);
        if (!send) {
          // It changes more than a message: let it be the head of the next batch of commands, before the sends after it.
          this.#mailbox.unshift(pending);
          taken++;
          break;
        }
        sends.push({ pending, send });
        bytes += send.message.rendered_content.length;
      } catch (error) {
        pending.reject(error);
      }
    }
    this.#sends.splice(0, taken);
    if (sends.length === 0) return;
    const entries = sends.map(({ send }) => this.#reserves.place(send.entry));
    const rows = entries.map(toRow);
    const started = performance.now();
    try {
      await commitSends(
        database,
        term,
        sends.map(({ send }) => send.message),
        rows,
        now,
      );
    } catch (error) {
      for (const { pending } of sends) pending.reject(outcomeOf(error));
      // Nothing was done, and nobody need wonder: the replica is as good as before.
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

  async #commitCommands(): Promise<void> {
    const { state, clock, database, term } = this.#options;
    const now = clock();
    const done: { pending: Pending; reply: unknown; entries: LogEntry[]; turns: readonly Turn[] }[] = [];
    let current: Pending | undefined;
    const started = performance.now();
    const taken: Pending[] = [];
    const rows: LogRow[] = [];
    let bytes = 0;
    let claimed = 0;
    try {
      await database.transaction(async (sql) => {
        await fence(sql, term);
        const keys = new Set<string>();
        const mayTake = () =>
          taken.length < maxCommands && bytes < maxCommitBytes && performance.now() - started < maxCommitMs;
        while (taken.length === 0 || mayTake()) {
          current = this.#mailbox[0];
          if (!current || isRepeated(keys, current.work)) break;
          // So that only a command which alone takes very many has to claim them below.
          if (taken.length > 0 && !this.#reserves.hasPlacesForBatch) break;
          this.#mailbox.shift();
          taken.push(current);
          const tx = new Tx(state, sql, now, (count) => this.#reserves.takeIds(count));
          let reply: unknown;
          try {
            reply = await current.work.decide(tx);
          } catch (error) {
            // A refusal wrote nothing; any other error may have broken the transaction that all share.
            if (!(error instanceof ApiError)) throw new CommandFailed(current, error);
            current.reject(error);
            continue;
          }
          const entries = tx.finish().map((entry) => this.#reserves.place(entry));
          rows.push(...entries.map(toRow));
          for (const entry of entries) bytes += entry.bytes;
          try {
            await tx.store();
          } catch (error) {
            throw new CommandFailed(current, error);
          }
          done.push({ pending: current, reply, entries, turns: tx.turns });
          if (entries.some((entry) => entry.changes)) break;
        }
        claimed = await this.#reserves.claimTaken(sql);
        await appendLog(sql, term.realmId, rows, now);
      });
    } catch (error) {
      this.#undo(error, taken, done);
      return;
    }
    this.#refused = undefined;
    this.#reserves.claimed(claimed);
    this.#options.onBatch({ commands: done.length, seconds: (performance.now() - started) / 1000 });
    const entries = done.flatMap((command) => command.entries);
    if (entries.length > 0) this.#options.onCommitted(entries, rows);
    for (const { pending, reply, entries, turns } of done) {
      if (turns.length > 0) {
        pending.onPart?.();
        this.#mailbox.push(restOf(pending, reply, turns));
        continue;
      }
      pending.work.committed?.(reply);
      pending.resolve({ reply, position: entries.at(-1)?.position ?? state.position });
    }
  }

  /** A batch rolled back: the command at fault is told, the others go back to the head of the mailbox. */
  #undo(error: unknown, taken: Pending[], done: { pending: Pending }[]): void {
    const waiting = new Set(done.map(({ pending }) => pending));
    const cause = error instanceof CommandFailed ? translate(error.cause) : error;
    const isLoss = cause instanceof StorageUnavailable && !(cause instanceof StorageRefusesChanges);
    this.#noteRefusal(cause);
    if (error instanceof CommandFailed && !isLoss) {
      error.pending.reject(refusalOf(cause));
      this.#mailbox.unshift(...taken.filter((pending) => waiting.has(pending)));
      return;
    }
    for (const pending of taken) pending.reject(outcomeOf(cause));
    if (!(cause instanceof StorageRefusesChanges)) throw cause;
  }

  async #publishEphemeral(): Promise<void> {
    const lacksPlaces = () => this.#ephemeral.length > 0 && !this.#reserves.hasPlaces(this.#ephemeral.length + 1);
    while (lacksPlaces() && this.#stopped === undefined) await this.#reserves.reservePlaces();
    if (this.#stopped !== undefined || this.#ephemeral.length === 0) return;
    const entries = this.#ephemeral.splice(0, placesAhead / 2).map((entry) => this.#reserves.place(entry));
    this.#options.onCommitted(entries, entries.map(toRow));
  }

  /** No places or ids could be had. Whoever waits for them is told if it is known that nothing is done; else the term is over. */
  #notSetAside(error: unknown): void {
    if (!this.#noteRefusal(error)) {
      this.#fail(error);
      return;
    }
    this.#ephemeral = [];
    for (const pending of this.#mailbox.splice(0)) pending.reject(outcomeOf(error));
  }

  /** Returns whether the error is one. */
  #noteRefusal(error: unknown): boolean {
    if (!(error instanceof StorageRefusesChanges)) return false;
    this.#refused = { reason: error.message, at: performance.now() };
    return true;
  }

  #fail(error: unknown): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = error;
    this.#handBack();
    this.#options.onFailure(error);
  }

  #handBack(): void {
    for (const pending of [...this.#mailbox.splice(0), ...this.#sends.splice(0)]) pending.reject(new NotBegun());
  }
}
