/** Commands that share a transaction. Each is decided and written after the one before it. */
import type { Sql } from "../../../storage/postgres.ts";
import type { LogRow } from "../../../storage/realm-log.ts";
import { ApiError } from "../../errors.ts";
import type { LogEntry } from "../entry.ts";
import { toRow } from "../log-row.ts";
import type { RealmState } from "../state/state.ts";
import { type Turn, Tx } from "../transaction.ts";
import { maxCommitBytes } from "./decide.ts";
import { CommandFailed } from "./outcomes.ts";
import type { Reserves } from "./reserves.ts";
import { isRepeated, type Pending } from "./work.ts";

const maxCommands = 32;
/** A transaction that has lasted this long takes no further command: others wait for its end. */
const maxCommitMs = 50;

export class CommandBatch {
  /** Those taken from the mailbox, whatever became of them. */
  readonly taken: Pending[] = [];
  /** Decided and written. */
  readonly done: { pending: Pending; reply: unknown; entries: LogEntry[]; turns: readonly Turn[] }[] = [];
  readonly rows: LogRow[] = [];
  readonly started = performance.now();
  #bytes = 0;

  constructor(
    private readonly mailbox: Pending[],
    private readonly state: RealmState,
    private readonly reserves: Reserves,
    private readonly now: number,
  ) {}

  /** Takes commands from the mailbox and decides them, as many as fit. @throws CommandFailed */
  async decide(sql: Sql): Promise<void> {
    const keys = new Set<string>();
    while (this.taken.length === 0 || this.#hasRoom()) {
      const next = this.mailbox[0];
      if (!next || isRepeated(keys, next.work)) break;
      // Then only a command that takes very many by itself has to claim them afterwards.
      if (this.taken.length > 0 && !this.reserves.hasPlacesForBatch) break;
      this.mailbox.shift();
      this.taken.push(next);
      const changesState = await this.#decideOne(sql, next);
      if (changesState) break;
    }
  }

  #hasRoom(): boolean {
    return (
      this.taken.length < maxCommands && this.#bytes < maxCommitBytes && performance.now() - this.started < maxCommitMs
    );
  }

  /** Returns whether it changes the state: then the next command waits for the commit. */
  async #decideOne(sql: Sql, pending: Pending): Promise<boolean> {
    const tx = new Tx(this.state, sql, this.now, (count) => this.reserves.takeIds(count));
    let reply: unknown;
    try {
      reply = await pending.work.decide(tx);
    } catch (error) {
      // A refusal wrote nothing; any other error may have broken the transaction that all share.
      if (!(error instanceof ApiError)) throw new CommandFailed(pending, error);
      pending.reject(error);
      return false;
    }
    const entries = tx.finish().map((entry) => this.reserves.place(entry));
    this.rows.push(...entries.map(toRow));
    for (const entry of entries) this.#bytes += entry.bytes;
    try {
      await tx.store();
    } catch (error) {
      throw new CommandFailed(pending, error);
    }
    this.done.push({ pending, reply, entries, turns: tx.turns });
    return entries.some((entry) => entry.changes);
  }
}
