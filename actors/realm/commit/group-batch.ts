/** Changes of the kind that has waited longest. They are decided on one query and stored by one statement. */
import { StorageUnavailable, translate } from "../../../storage/postgres.ts";
import type { LogRow } from "../../../storage/realm-log.ts";
import { toRow } from "../log-row.ts";
import { type Moment, thisMoment } from "../read-lease.ts";
import type { Batch, BatchContext, Decided, Failure } from "./batch.ts";
import type { Grouped } from "./group.ts";
import { type Pending, takeGroup } from "./work.ts";

/** Changes committed as one group: a few milliseconds of PostgreSQL's time. */
const maxGroupSize = 500;

export class GroupBatch implements Batch {
  readonly done: Decided[] = [];
  rows: LogRow[] = [];
  wasAsked = false;
  fencedAt: Moment | undefined;
  readonly #taken: Pending[];
  readonly #all: Grouped[];
  readonly #writes: unknown[] = [];

  constructor(private readonly context: BatchContext) {
    const { waiting } = context;
    const { taken, left } = takeGroup(waiting.groups, maxGroupSize);
    waiting.groups = left;
    this.#taken = taken;
    this.#all = taken.flatMap(({ work }) => work.grouped ?? []);
  }

  get changes(): boolean {
    return this.#writes.length + this.rows.length > 0;
  }

  async store(): Promise<void> {
    const { database, state, term, reserves, now, timely } = this.context;
    const [first] = this.#all;
    if (!first) return;
    const decisions = await timely(first.decideAll(database, state, this.#all));
    for (const [index, pending] of this.#taken.entries()) {
      const decision = decisions[index];
      if (!decision) continue;
      if ("refusal" in decision) {
        pending.reject(decision.refusal);
        continue;
      }
      const entries = decision.entries.map((entry) => reserves.place(entry));
      this.#writes.push(...decision.writes);
      this.done.push({ pending, reply: decision.reply, entries });
    }
    this.rows = this.done.flatMap(({ entries }) => entries.map(toRow));
    this.wasAsked = true;
    if (!this.changes) return;
    this.fencedAt = thisMoment();
    await timely(first.commit(database, term, this.#writes, this.rows, now));
  }

  failed(error: unknown): Failure {
    if (this.wasAsked) return { cause: error, undecided: [] };
    const cause = translate(error);
    // Nothing was written yet.
    if (cause instanceof StorageUnavailable) return { cause, undecided: this.#taken };
    // One of them is at fault, so each is decided by itself.
    this.context.waiting.commands.push(...this.#taken);
    return { cause };
  }
}
