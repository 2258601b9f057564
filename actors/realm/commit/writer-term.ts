/**
 * A node's time as a realm's writer. It is appointed, begins when the realm's machine says so, and ends with its last
 * commit. Then the node may be appointed again.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { LogPosition, RealmId } from "../../../storage/ids.ts";
import type { Lack } from "../../../storage/log/promotions.ts";
import { findLoss } from "../../../storage/lost-log.ts";
import { type LogRow, WriterFenced } from "../../../storage/realm-log.ts";
import { beginTerm, endTerm } from "../../../storage/realms.ts";
import { timely } from "../../../storage/timely.ts";
import type { RealmEnvironment } from "../environment.ts";
import type { LoadedRealm } from "../loaded.ts";
import { judgeRead, type Moment, ReadLease, successorWaitsMs } from "../read-lease.ts";
import { Writer } from "../writer.ts";
import type { AuditedTables } from "./audit.ts";
import { NotBegun } from "./work.ts";

/** A term that does not begin within this time is given up. It is longer than a session may hold it up. */
const termOverdueMs = 4000;
/** How long a writer that stops may take to say so. */
const endTermWithinMs = 500;

export interface Appointment {
  /** See `beginTerm`. */
  after: number | undefined;
  told: LogPosition;
  lack: Lack | undefined;
  /** Asked after PostgreSQL took its time: whether this node may still write. */
  isWanted(): boolean;
  /** The log lacks what it had. The term does not begin. */
  onLoss(): void;
  /** Called when rows were committed and applied. `previous` is the position before them; see `WriterOptions`. */
  onCommitted(previous: number, rows: LogRow[], traces: readonly string[]): void;
  /** The writer is finished: fenced, or a commit failed. */
  onFailure(error: unknown): void;
}

export class WriterTerm {
  /** The writer of the term that this node begins, until the machine says that it writes. */
  #appointed: { writer: Writer; readLease: ReadLease | undefined } | undefined;
  #writer: Writer | undefined;
  #readLease: ReadLease | undefined;
  /** Resolves when the last commit of an ended term is over. */
  #ending: Promise<void> = Promise.resolve();

  constructor(
    private readonly realmId: RealmId,
    private readonly environment: RealmEnvironment,
    private readonly audits: AuditedTables,
  ) {}

  get writer(): Writer | undefined {
    return this.#writer;
  }

  /**
   * No other node can know anything that this one does not: see `ReadLease`. A commit that takes long may be done, and
   * another node may have read it, before this one is told.
   */
  get holdsReadLease(): boolean {
    return this.#judgeRead() === "nothing";
  }

  /**
   * Resolves when no other node can know anything of before this call that this one does not. Undefined: no commit of
   * this one brings that about.
   */
  slowCommitOver(): Promise<void> | undefined {
    return this.#judgeRead() === "commit" ? this.#writer?.commitOver() : undefined;
  }

  #judgeRead(): ReturnType<typeof judgeRead> {
    const [writer, readLease] = [this.#writer, this.#readLease];
    return judgeRead(writer !== undefined && readLease?.isValid === true, writer?.hasSlowCommit === true);
  }

  /** It is sure, but not for much longer. */
  get isRenewalDue(): boolean {
    return this.#readLease?.isRenewalDue === true && this.#readLease.isValid;
  }

  /**
   * Takes the realm over in PostgreSQL: no older writer can commit after `beginTerm`, so what the log holds then is all
   * there is.
   *
   * @throws NotBegun when it is not wanted any more
   */
  async appoint(
    loaded: LoadedRealm,
    { after, told, lack, isWanted, onLoss, onCommitted, onFailure }: Appointment,
  ): Promise<number> {
    const { database, servesReads, metrics, limits, coordination } = this.environment;
    const { state, era } = loaded;
    const node = coordination.nodeId ?? null;
    const began = beginTerm(database.vital, this.realmId, { servesReads, after, node, told, lack });
    const term = await timely(database.vital, termOverdueMs, began);
    // While another node still answers reads without it, nobody may be told of what is written from now on.
    await Promise.all([loaded.progress.catchUp(), term.isReadElsewhere && this.#outlastReader(term.epoch)]);
    const { sql } = database.vital;
    const kept = await timely(database.vital, termOverdueMs, findLoss(sql, this.realmId, loaded.newestStored));
    // The next claim begins anew.
    if (!isWanted() || loaded.era !== era) throw new NotBegun();
    if (kept !== undefined) {
      onLoss();
      throw new NotBegun();
    }
    state.position = Math.max(state.position, term.position);
    // What was known while another node wrote may have changed.
    loaded.memories.termBegins();
    const writer = new Writer({
      database: database.vital,
      state,
      audits: this.audits,
      term: { realmId: this.realmId, epoch: term.epoch, reserved: term.reserved },
      clock: () => this.environment.clock(),
      patienceMs: limits.commandDeadlineMs,
      tracer: this.environment.tracer,
      onFenced: (at) => {
        if (this.#readLease?.epoch === term.epoch) this.#readLease.confirm(at);
      },
      onCommitted: (entries, rows, traces) => {
        // Set aside meanwhile, it reads what PostgreSQL has.
        if (loaded.era !== era) return;
        const previous = state.position;
        loaded.applyOwn(entries);
        onCommitted(previous, rows, traces);
      },
      onFailure,
      onBatch: ({ commands, seconds, requests }) => {
        metrics.commit(commands, seconds);
        const { log } = this.environment;
        if (log.isLevelEnabled?.("debug"))
          log.debug?.({ realm: this.realmId, commands, ms: seconds * 1000, requests: requests() }, "committed");
      },
    });
    this.#appointed = { writer, readLease: servesReads ? new ReadLease(term.epoch) : undefined };
    return term.epoch;
  }

  /** Waits until the node that wrote before answers no more reads from memory. */
  async #outlastReader(epoch: number): Promise<void> {
    const { servesReads, database } = this.environment;
    await delay(successorWaitsMs);
    // A successor that does not hear of it only waits as well.
    if (!servesReads) await endTerm(database.vital.sql, this.realmId, epoch).catch(() => {});
  }

  /** Lets the appointed writer write. */
  begin(): void {
    this.#writer = this.#appointed?.writer;
    this.#readLease = this.#appointed?.readLease;
    this.#appointed = undefined;
  }

  /** The appointed writer, if there is one, will not write. */
  withdraw(): void {
    this.#appointed = undefined;
  }

  /** From now on every read asks PostgreSQL. */
  end(): void {
    const [writer, readLease] = [this.#writer, this.#readLease];
    this.#writer = undefined;
    this.#readLease = undefined;
    if (writer) this.#ending = this.#finish(writer, readLease);
  }

  /** Resolves when the last commit of the term that ended last is over. */
  ended(): Promise<void> {
    return this.#ending;
  }

  /** PostgreSQL, asked then, named the newest epoch. @throws WriterFenced when that is a later one */
  confirmEpoch(epoch: number, askedAt: Moment): void {
    if (!this.#readLease) return;
    if (epoch === this.#readLease.epoch) this.#readLease.confirm(askedAt);
    else if (epoch > this.#readLease.epoch)
      throw new WriterFenced(`epoch ${this.#readLease.epoch} of realm ${this.realmId} is over`);
  }

  /**
   * Ends what the writer has begun, and tells so. It does not insist: a successor that does not hear of it only waits.
   */
  async #finish(writer: Writer, readLease: ReadLease | undefined): Promise<void> {
    await writer.stop();
    if (!readLease) return;
    const ended = endTerm(this.environment.database.vital.sql, this.realmId, readLease.epoch).catch(() => {});
    await Promise.race([ended, delay(endTermWithinMs)]);
  }
}
