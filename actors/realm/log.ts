/**
 * The writer's half of a realm: decide → group commit → apply → reply → publish.
 *
 * Commands wait in one mailbox and are decided in its order. Sends change nothing that the next decision depends on, so
 * all that wait are decided at once and committed by one statement. Other commands share a transaction as long as none of
 * them changes the realm's state; one that does ends its batch, so that the next is decided on the state it left. One
 * commit is under way at a time: what arrives meanwhile is the next batch, and the slower the disk the larger the batches.
 *
 * After a commit failed nobody knows what the disk holds, so the writer stops for good (`onFailure`) and the realm is
 * loaded afresh; commands that had not begun are handed back with `NotBegun` and may be given to the next writer.
 */

import type { MessageRow } from "../../storage/messages.ts";
import { type Database, StorageUnavailable, translate, UniqueViolation } from "../../storage/postgres.ts";
import { appendLog, commitSends, fence, type LogRow, WriterFenced, type WriterTerm } from "../../storage/realm-log.ts";
import { claimPositions, reserveMessageIds, reservePositions } from "../../storage/realms.ts";
import { ApiError, errors } from "../errors.ts";
import type { Entry, LogEntry } from "./entry.ts";
import type { RealmState } from "./state.ts";
import { Tx } from "./tx.ts";

/** The command was never started: the caller may try it again without doing it twice. */
export class NotBegun extends Error {
  override name = "NotBegun";
}

/** A send that needs nothing but its row and its entry. */
export interface FastSend<R> {
  message: MessageRow;
  entry: Entry;
  reply: R;
}

export type Work<R> = {
  /** Decides a send at once; undefined says that it takes a transaction after all. */
  fast?: (state: RealmState, takeMessageId: () => number, now: number) => FastSend<R> | undefined;
  decide: (tx: Tx) => Promise<R> | R;
  /** Called once it is durable. */
  committed?(reply: R): void;
};

interface Pending {
  work: Work<unknown>;
  resolve(outcome: { reply: unknown; position: number }): void;
  reject(error: unknown): void;
}

export interface LogOptions {
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

const maxSends = 512;
const maxCommands = 32;
/** Asked for in advance, so that a commit rarely waits for positions. */
const reserveAhead = 8000;
const idsAhead = 300;
/** Other nodes read from PostgreSQL what does not come from here within a tenth of a second. */
const slowCommitMs = 75;

export class RealmLog {
  readonly #options: LogOptions;
  #mailbox: Pending[] = [];
  #ephemeral: Entry[] = [];
  #running = false;
  #committingSince: number | undefined;
  readonly #onIdle: (() => void)[] = [];
  #stopped: unknown;
  #nextPosition: number;
  #reserved: number;
  #reserving: Promise<void> | undefined;
  #ids: { next: number; end: number }[] = [];
  #fetchingIds: Promise<void> | undefined;

  constructor(options: LogOptions) {
    this.#options = options;
    this.#nextPosition = options.state.position + 1;
    this.#reserved = options.term.reserved;
  }

  get depth(): number {
    return this.#mailbox.length;
  }

  /** A commit has been under way for so long that others may have read it from PostgreSQL. */
  get hasSlowCommit(): boolean {
    return this.#committingSince !== undefined && performance.now() - this.#committingSince > slowCommitMs;
  }

  /** Decides and commits a command. Resolves after it is durable and applied, with the last position it caused. */
  submit<R>(work: Work<R>): Promise<{ reply: R; position: number }> {
    if (this.#stopped !== undefined) return Promise.reject(new NotBegun());
    return new Promise((resolve, reject) => {
      this.#mailbox.push({ work, resolve, reject } as unknown as Pending);
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
      while (this.#stopped === undefined && (this.#mailbox.length > 0 || this.#ephemeral.length > 0)) {
        if (this.#ephemeral.length > 0) await this.#publishEphemeral();
        if (this.#mailbox.length === 0) break;
        if (this.#nextPosition + maxSends * 4 > this.#reserved) {
          await this.#reserve();
          // After a large batch was rolled back one block may not be enough.
          continue;
        }
        if (this.#nextPosition + reserveAhead > this.#reserved) void this.#reserve();
        if (this.#idsLeft() < maxSends) {
          await this.#fetchIds();
          continue;
        }
        this.#committingSince = performance.now();
        if (this.#mailbox[0]!.work.fast) await this.#commitSends();
        else await this.#commitCommands();
        this.#committingSince = undefined;
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#running = false;
      this.#committingSince = undefined;
      for (const resolve of this.#onIdle.splice(0)) resolve();
      if (this.#stopped === undefined && (this.#mailbox.length > 0 || this.#ephemeral.length > 0)) this.#wake();
    }
  }

  async #commitSends(): Promise<void> {
    const { state, clock, database, term } = this.#options;
    const now = clock();
    const sends: { pending: Pending; send: FastSend<unknown> }[] = [];
    let taken = 0;
    for (; taken < this.#mailbox.length && taken < maxSends; taken++) {
      const pending = this.#mailbox[taken]!;
      if (!pending.work.fast) break;
      try {
        const send = pending.work.fast(state, () => this.#takeIds(1)[0]!, now);
        if (!send) {
          // It changes more than a message: let it be the head of a batch of commands.
          delete (pending.work as { fast?: unknown }).fast;
          break;
        }
        sends.push({ pending, send });
      } catch (error) {
        pending.reject(error);
      }
    }
    this.#mailbox.splice(0, taken);
    if (sends.length === 0) return;
    const entries = sends.map(({ send }) => this.#place(send.entry));
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
      throw error;
    }
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
    const done: { pending: Pending; reply: unknown; entries: LogEntry[] }[] = [];
    let current: Pending | undefined;
    const started = performance.now();
    const taken: Pending[] = [];
    let rows: LogRow[] = [];
    let claimed = 0;
    try {
      await database.transaction(async (sql) => {
        await fence(sql, term);
        while (taken.length < maxCommands) {
          current = this.#mailbox[0];
          if (!current || (current.work.fast && taken.length > 0)) break;
          // So that only a command which alone takes very many has to claim them below.
          if (taken.length > 0 && this.#nextPosition + maxSends * 4 > this.#reserved) break;
          this.#mailbox.shift();
          taken.push(current);
          const tx = new Tx(state, sql, now, (count) => this.#takeIds(count));
          let reply: unknown;
          try {
            reply = await current.work.decide(tx);
          } catch (error) {
            // A refusal wrote nothing; any other error may have broken the transaction that all share.
            if (!(error instanceof ApiError)) throw new CommandFailed(current, error);
            current.reject(error);
            continue;
          }
          const entries = tx.finish().map((entry) => this.#place(entry));
          try {
            await tx.store();
          } catch (error) {
            throw new CommandFailed(current, error);
          }
          done.push({ pending: current, reply, entries });
          if (entries.some((entry) => entry.changes)) break;
        }
        rows = done.flatMap(({ entries }) => entries.map(toRow));
        if (this.#nextPosition - 1 > this.#reserved)
          claimed = await claimPositions(sql, term.realmId, term.epoch, this.#nextPosition - 1);
        await appendLog(sql, term.realmId, rows, now);
      });
    } catch (error) {
      this.#undo(error, taken, done);
      return;
    }
    this.#reserved = Math.max(this.#reserved, claimed);
    this.#options.onBatch({ commands: done.length, seconds: (performance.now() - started) / 1000 });
    const entries = done.flatMap((command) => command.entries);
    if (entries.length > 0) this.#options.onCommitted(entries, rows);
    for (const { pending, reply, entries } of done) {
      pending.work.committed?.(reply);
      pending.resolve({ reply, position: entries.at(-1)?.position ?? state.position });
    }
  }

  /** A batch rolled back: the command at fault is told, the others go back to the head of the mailbox. */
  #undo(error: unknown, taken: Pending[], done: { pending: Pending }[]): void {
    const waiting = new Set(done.map(({ pending }) => pending));
    if (error instanceof CommandFailed && !(translate(error.cause) instanceof StorageUnavailable)) {
      error.pending.reject(refusalOf(translate(error.cause)));
      this.#mailbox.unshift(...taken.filter((pending) => waiting.has(pending)));
      return;
    }
    const cause = error instanceof CommandFailed ? translate(error.cause) : error;
    for (const pending of taken) pending.reject(outcomeOf(cause));
    throw cause;
  }

  async #publishEphemeral(): Promise<void> {
    while (this.#nextPosition + this.#ephemeral.length >= this.#reserved && this.#stopped === undefined)
      await this.#reserve();
    if (this.#stopped !== undefined) return;
    const entries = this.#ephemeral.splice(0, reserveAhead / 2).map((entry) => this.#place(entry));
    this.#options.onCommitted(entries, entries.map(toRow));
  }

  /** Gives an entry its place. An event that older clients get in several parts takes a place for each. */
  #place(entry: Entry): LogEntry {
    this.#nextPosition += entry.span ?? 1;
    return { ...entry, position: this.#nextPosition - 1 };
  }

  #takeIds(count: number): number[] {
    const taken: number[] = [];
    while (taken.length < count) {
      const block = this.#ids[0];
      if (!block) throw new Error("message ids ran out inside a batch");
      if (block.next < block.end) taken.push(block.next++);
      else this.#ids.shift();
    }
    if (this.#idsLeft() < maxSends + idsAhead) void this.#fetchIds();
    return taken;
  }

  #idsLeft(): number {
    return this.#ids.reduce((left, block) => left + block.end - block.next, 0);
  }

  #fetchIds(): Promise<void> {
    this.#fetchingIds ??= reserveMessageIds(this.#options.database)
      .then((block) => void this.#ids.push(block))
      .catch((error) => this.#fail(error))
      .finally(() => {
        this.#fetchingIds = undefined;
      });
    return this.#fetchingIds;
  }

  #reserve(): Promise<void> {
    const { database, term } = this.#options;
    this.#reserving ??= reservePositions(database, term.realmId, term.epoch)
      .then((reserved) => {
        if (reserved === undefined) throw new WriterFenced(`epoch ${term.epoch} of realm ${term.realmId} is over`);
        this.#reserved = Math.max(this.#reserved, reserved);
      })
      .catch((error) => this.#fail(error))
      .finally(() => {
        this.#reserving = undefined;
      });
    return this.#reserving;
  }

  #fail(error: unknown): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = error;
    this.#handBack();
    this.#options.onFailure(error);
  }

  #handBack(): void {
    for (const pending of this.#mailbox.splice(0)) pending.reject(new NotBegun());
  }
}

/** Which command of a shared transaction made it fail. */
class CommandFailed extends Error {
  constructor(
    readonly pending: Pending,
    override readonly cause: unknown,
  ) {
    super("a command failed");
  }
}

/** Names that differ for JavaScript can be one in PostgreSQL's lower case (Greek has two small sigmas): then it has the last word. */
function refusalOf(error: unknown): unknown {
  return error instanceof UniqueViolation ? errors.BAD_REQUEST("That name or address is already in use.") : error;
}

function outcomeOf(error: unknown): unknown {
  if (error instanceof WriterFenced) return new NotBegun();
  if (error instanceof StorageUnavailable) {
    return errors.SERVICE_UNAVAILABLE(
      "The database went away while this request was being stored: it may or may not have been done.",
    );
  }
  return error;
}

const toRow = ({ position, event, audience, changes, span, tick, presence }: LogEntry): LogRow => ({
  position,
  json: JSON.stringify({ c: changes, e: event, a: audience, s: span, t: tick, p: presence }),
});

/** The reverse of what a log row's `entry` holds. */
export function fromRow(position: number, entry: object): LogEntry {
  const {
    c: changes,
    e: event,
    a: audience,
    s: span,
    t: tick,
    p: presence,
  } = entry as {
    c?: LogEntry["changes"];
    e?: LogEntry["event"];
    a?: LogEntry["audience"];
    s?: number;
    t?: true;
    p?: LogEntry["presence"];
  };
  return {
    position,
    ...(changes && { changes }),
    ...(event && { event }),
    ...(audience && { audience }),
    ...(span && { span }),
    ...(tick && { tick }),
    ...(presence && { presence }),
  };
}
