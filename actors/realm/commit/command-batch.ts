/** Commands that share a transaction. Each is decided and written after the one before it. */

import { mayBeLoss, Overdue, type Sql, translate } from "../../../storage/postgres.ts";
import { appendLog, type Fenced, fence, type LogRow } from "../../../storage/realm-log.ts";
import type { Change } from "../../../storage/rows.ts";
import { type AuditEntry, appendAudit } from "../../../storage/users/audit-log.ts";
import { ApiError } from "../../errors.ts";
import { toRow } from "../log-row.ts";
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
  /** Those taken from the mailbox, whatever became of them. */
  readonly #taken: Pending[] = [];
  readonly done: Decided[] = [];
  readonly rows: LogRow[] = [];
  readonly #audit: AuditEntry[] = [];
  wasAsked = false;
  fenced: Fenced | undefined;
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
    const { database, term, reserves, now, timely } = this.context;
    let claimed = 0;
    const commit = database.transaction(async (sql) => {
      this.fenced = await fence(sql, term);
      await this.#decide(sql);
      claimed = await reserves.claimTaken(sql);
      await appendLog(sql, term.realmId, this.rows, now);
      await appendAudit(sql, term.realmId, this.#audit);
      if (this.#isGivenUp) throw new Overdue("the commit was given up");
      this.wasAsked = true;
    });
    await timely(commit, () => this.fenced?.pid);
    reserves.claimed(claimed);
  }

  /** The command at fault is told, and the others are again the first that wait, unless the connection may be lost. */
  failed(error: unknown): Failure {
    this.#isGivenUp = true;
    const decided = new Set(this.done.map(({ pending }) => pending));
    if (!(error instanceof CommandFailed)) return this.#inDoubt(error, decided);
    const cause = translate(error.cause);
    if (mayBeLoss(cause)) return this.#inDoubt(cause, decided);
    error.pending.reject(refusalOf(cause));
    this.mailbox.unshift(...this.#taken.filter((pending) => decided.has(pending)));
    return { cause };
  }

  /** Refused commands were answered already. Undecided ones were not stored. */
  #inDoubt(cause: unknown, decided: Set<Pending>): Failure {
    return { cause, undecided: this.#taken.filter((pending) => !decided.has(pending)) };
  }

  /** Takes commands from the mailbox and decides them, as many as fit. @throws CommandFailed */
  async #decide(sql: Sql): Promise<void> {
    const keys = new Set<string>();
    while (this.#taken.length === 0 || this.#hasRoom()) {
      const next = this.mailbox[0];
      if (!next || isRepeated(keys, next.work)) break;
      // Then only a command that takes very many by itself has to claim them afterwards.
      if (this.#taken.length > 0 && !this.context.reserves.hasPlacesForBatch) break;
      this.mailbox.shift();
      this.#taken.push(next);
      const changesState = await this.#decideOne(sql, next);
      if (changesState) break;
    }
  }

  #hasRoom(): boolean {
    return (
      this.#taken.length < maxCommands &&
      this.#bytes < maxCommitBytes &&
      performance.now() - this.#started < maxCommitMs
    );
  }

  /** Returns whether it changes the state: then the next command waits for the commit. */
  async #decideOne(sql: Sql, pending: Pending): Promise<boolean> {
    const { state, now, reserves, audits } = this.context;
    const tx = new Tx(state, sql, now, (count) => reserves.takeIds(count));
    let reply: unknown;
    try {
      reply = await pending.work.decide(tx);
    } catch (error) {
      // A refusal wrote nothing; any other error may have broken the transaction that all share.
      if (!(error instanceof ApiError)) throw new CommandFailed(pending, error);
      pending.reject(error);
      return false;
    }
    const entries = tx.finish().map((entry) => reserves.place(entry));
    if (pending.cause) {
      const changes = entries.flatMap((entry) => entry.changes ?? noChanges);
      this.#audit.push(...auditOf(audits, state, changes, tx.audited, pending.cause, now));
    }
    this.rows.push(...entries.map(toRow));
    for (const entry of entries) this.#bytes += entry.bytes;
    try {
      await tx.store();
    } catch (error) {
      throw new CommandFailed(pending, error);
    }
    this.done.push({ pending, reply, entries, turns: tx.turns, storedRest: tx.storedRest });
    return entries.some((entry) => entry.changes);
  }
}
