/**
 * Commands that share a transaction. Each is decided and written after the one before it. The first round trip brings
 * the fence, and the reads and writes that wait for nothing. The last one brings the log and the commit.
 */

import { mayBeLoss, Overdue, type Sql, type Statement, translate } from "../../../storage/postgres.ts";
import { appendLog, type Fenced, fence, type LogRow } from "../../../storage/realm-log.ts";
import type { Change } from "../../../storage/rows.ts";
import { type AuditEntry, appendAuditAfter } from "../../../storage/users/audit-log.ts";
import { ApiError } from "../../errors.ts";
import { toRow } from "../log-row.ts";
import { type Moment, thisMoment } from "../read-lease.ts";
import { Tx } from "../transaction.ts";
import { auditOf } from "./audit.ts";
import { type Batch, type BatchContext, type Decided, type Failure, maxCommitBytes } from "./batch.ts";
import { CommandFailed, refusalOf } from "./outcomes.ts";
import { isRepeated, type Pending } from "./work.ts";

const maxCommands = 32;
const noChanges: readonly Change[] = [];
/** A transaction that has lasted this long takes no further command: others wait for its end. */
const maxCommitMs = 50;

export class CommandBatch implements Batch {
  /** Those taken from the mailbox, but for those that were refused. */
  readonly #open = new Set<Pending>();
  #taken = 0;
  readonly done: Decided[] = [];
  readonly rows: LogRow[] = [];
  readonly #audit: AuditEntry[] = [];
  /** The writes of each command that were not waited for. */
  readonly #sent: { pending: Pending; answers: readonly Promise<unknown>[] }[] = [];
  wasAsked = false;
  fencedAt: Moment | undefined;
  fenced: Fenced | undefined;
  #fencing: Promise<Fenced> | undefined;
  #isGivenUp = false;
  readonly #started = performance.now();
  #bytes = 0;

  /** @param mailbox those of one kind; as many as fit are taken */
  constructor(
    private readonly context: BatchContext,
    private readonly mailbox: Pending[],
  ) {}

  get changes(): boolean {
    return this.rows.length > 0;
  }

  async store(): Promise<void> {
    const { database, term, reserves, timely } = this.context;
    let claimed = 0;
    const stored = database.pipelined(async (sql, commit) => {
      // Decisions read behind it. Nothing is told or stored before it is known to hold.
      this.#fencing = fence(sql, term).then((fenced) => {
        this.fenced = fenced;
        return fenced;
      });
      this.#fencing.catch(() => {});
      await this.#decide(sql);
      const fenced = await this.#fencing;
      claimed = await reserves.claimTaken(sql);
      if (this.#isGivenUp) throw new Overdue("the commit was given up");
      this.wasAsked = true;
      // A new writer waits for the fence, which lasts until the commit.
      this.fencedAt = thisMoment();
      // The end travels with what it stores. If a write has failed, it stores nothing.
      const ended = Promise.all([...this.#append(sql, fenced), commit()]);
      ended.catch(() => {});
      await this.#answered();
      await ended;
    });
    await timely(stored, () => this.fenced?.pid);
    reserves.claimed(claimed);
  }

  /** Sends what is added to the logs. */
  #append(sql: Sql, { auditNum: num, auditHash: hash }: Fenced): Statement[] {
    const { term, now } = this.context;
    const added: Statement[] = [];
    if (this.rows.length > 0) added.push(appendLog(sql, term.realmId, this.rows, now));
    if (this.#audit.length > 0) added.push(appendAuditAfter(sql, term.realmId, this.#audit, { num, hash }));
    return added.map((statement) => statement.execute());
  }

  /** The command at fault is told, and the others are again the first that wait, unless the connection may be lost. */
  failed(error: unknown): Failure {
    this.#isGivenUp = true;
    if (!(error instanceof CommandFailed)) return this.#inDoubt(error);
    const cause = translate(error.cause);
    if (mayBeLoss(cause)) return this.#inDoubt(cause);
    error.pending.reject(refusalOf(cause));
    this.#open.delete(error.pending);
    this.mailbox.unshift(...this.#open);
    return { cause };
  }

  /** Undecided commands were not stored. */
  #inDoubt(cause: unknown): Failure {
    const decided = new Set(this.done.map(({ pending }) => pending));
    return { cause, undecided: [...this.#open].filter((pending) => !decided.has(pending)) };
  }

  /** Takes commands from the mailbox and decides them, as many as fit. @throws CommandFailed */
  async #decide(sql: Sql): Promise<void> {
    const keys = new Set<string>();
    while (this.#taken === 0 || this.#hasRoom()) {
      const next = this.mailbox[0];
      if (!next || isRepeated(keys, next.work)) break;
      // Then only a command that takes very many by itself has to claim them afterwards.
      if (this.#taken > 0 && !this.context.reserves.hasPlacesForBatch) break;
      this.mailbox.shift();
      this.#taken++;
      this.#open.add(next);
      const changesState = await this.#decideOne(sql, next);
      if (changesState) break;
    }
  }

  #hasRoom(): boolean {
    return this.#taken < maxCommands && this.#bytes < maxCommitBytes && performance.now() - this.#started < maxCommitMs;
  }

  /** Returns whether it changes the state: then the next command waits for the commit. */
  async #decideOne(sql: Sql, pending: Pending): Promise<boolean> {
    const { state, now, reserves, audits } = this.context;
    const tx = new Tx(state, sql, now, () => reserves.takeId());
    let reply: unknown;
    try {
      reply = await pending.work.decide(tx);
    } catch (error) {
      // A refusal wrote nothing; any other error may have broken the transaction that all share.
      await this.#fencing;
      await this.#answered();
      if (error instanceof ApiError) {
        this.#open.delete(pending);
        pending.reject(error);
        return false;
      }
      throw new CommandFailed(pending, error);
    }
    const entries = tx.finish().map((entry) => reserves.place(entry));
    if (pending.cause) {
      const changes = entries.flatMap((entry) => entry.changes ?? noChanges);
      this.#audit.push(...auditOf(audits, state, changes, tx.audited, pending.cause, now));
    }
    this.rows.push(...entries.map(toRow));
    for (const entry of entries) this.#bytes += entry.bytes;
    const answers: Promise<unknown>[] = [];
    this.#sent.push({ pending, answers });
    try {
      await tx.store(answers);
    } catch (error) {
      await this.#fencing;
      await this.#answered();
      throw new CommandFailed(pending, error);
    }
    this.done.push({ pending, reply, entries, turns: tx.turns, storedRest: tx.storedRest });
    return entries.some((entry) => entry.changes);
  }

  /** Waits for the answers to what was sent so far. @throws CommandFailed the first that failed */
  async #answered(): Promise<void> {
    for (const { pending, answers } of this.#sent) {
      try {
        for (const answer of answers) await answer;
      } catch (error) {
        throw new CommandFailed(pending, error);
      }
    }
  }
}
