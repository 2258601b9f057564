/**
 * The loaded part of a realm: the replica and everything derived from it. It is loaded whole and dropped whole. Only
 * carried-over state passes to the next load.
 *
 * Entries of the log are applied here, each once and in order. They come from this node's writer, from the cluster's
 * stream or from PostgreSQL. As long as all come from one timeline, the newest stands for those before it: a PostgreSQL
 * that has it has them all. So a replica outlives a promotion that lost nothing of it.
 */
import type { LogPosition, RealmId } from "../../storage/ids.ts";
import { judgeBatch } from "../../storage/log/promotions.ts";
import { type Database, StorageUnavailable } from "../../storage/postgres.ts";
import { type LogRow, readEnd, readLog, readLogRow } from "../../storage/realm-log.ts";
import { timely } from "../../storage/timely.ts";
import type { Member } from "./coordination.ts";
import type { Entry, LogEntry } from "./entry.ts";
import type { RealmEnvironment } from "./environment.ts";
import { loadReplica } from "./load.ts";
import { fromRow, toRow } from "./log-row.ts";
import { type CarriedOver, Memories, type Memory, type MemoryRealm } from "./memory.ts";
import { Progress } from "./progress.ts";
import type { Moment } from "./read-lease.ts";
import { RecentLog } from "./recent.ts";
import { RealmState } from "./state/state.ts";
import { Turns } from "./turns.ts";

/** Entries read from the log at a time when catching up. Applying so many takes a few milliseconds. */
const catchUpSlice = { rows: 5000, bytes: 2 * 1024 * 1024 };

/** A query that takes longer counts as lost. */
const sliceOverdueMs = 5000;

/** The handle as the loaded part needs it. */
export interface RealmLinks {
  readonly id: RealmId;
  readonly environment: RealmEnvironment;
  /** Whether no other node can know more than this one; see `read-lease.ts`. */
  readonly holdsReadLease: boolean;
  readonly isWriter: boolean;
  /** Publishes an event that is not stored. */
  publish(entry: Entry): void;
  /** Says that a queue was revived here. The node that held it releases it. */
  claim(queueId: string, claim: number): void;
  mayBeDelivered(position: LogPosition): Promise<boolean>;
  /** Asks the realm's writer for its position. */
  askWriter(): Promise<LogPosition>;
  /** PostgreSQL told the newest epoch. */
  confirmEpoch(epoch: number, askedAt: Moment): void;
}

export class LoadedRealm implements MemoryRealm {
  /** What nouns remember of it. */
  readonly memories = new Memories();
  /** Registers take turns on the event loop. */
  readonly turns = new Turns();
  readonly progress: Progress;
  /** Log positions of the newest events, by type. */
  readonly #newest = new Map<string, LogPosition>();
  #isClosed = false;
  /** The newest entry that the log had. */
  #stored: LogEntry | undefined;
  /** Of the PostgreSQL that has all this, as far as it tells. */
  timeline: number | undefined;
  /** Entries came from another timeline, or from an unknown one. */
  #isMixed = false;
  /** Counts how often it was set aside. What was asked before has no effect after. */
  era = 0;

  private constructor(
    private readonly links: RealmLinks,
    readonly state: RealmState,
    readonly recent: RecentLog,
  ) {
    this.progress = new Progress(
      this,
      () => this.#readOn(),
      () => links.askWriter(),
      (epoch, askedAt) => links.confirmEpoch(epoch, askedAt),
      () => links.environment.coordination.hasStreams,
    );
  }

  /** Reads the realm from PostgreSQL. @throws StorageUnavailable */
  static async load(
    links: RealmLinks,
    host: string | null,
    memories: readonly Memory<unknown>[],
    carriedOver: CarriedOver | undefined,
    database: Database,
  ): Promise<LoadedRealm> {
    const { environment } = links;
    const state = new RealmState(links.id, environment.urlOf(host), environment.clock, environment);
    const limits = environment.limits.recent;
    const newest = await loadReplica(database, state, limits.bytes);
    const recent = new RecentLog(limits, (newest[0]?.position ?? 1) - 1);
    for (const entry of newest) recent.push(entry);
    const loaded = new LoadedRealm(links, state, recent);
    loaded.#stored = newest.at(-1);
    await loaded.memories.load(memories, loaded, carriedOver);
    return loaded;
  }

  get id(): RealmId {
    return this.links.id;
  }

  get environment(): RealmEnvironment {
    return this.links.environment;
  }

  get database(): Database {
    return this.links.environment.database;
  }

  /** The newest log position that this node has applied. */
  get position(): LogPosition {
    return this.state.position;
  }

  /** The newest position that the log had. */
  get newestStored(): LogPosition {
    return this.#stored?.position ?? 0;
  }

  get isWriter(): boolean {
    return this.links.isWriter;
  }

  /** The log position of the newest event of these types. 0: none was applied. */
  newestOf(types: readonly string[]): LogPosition {
    return Math.max(0, ...types.map((type) => this.#newest.get(type) ?? 0));
  }

  /** Resolves when this node has applied whatever the log holds up to `position`. */
  reached(position: LogPosition): Promise<void> {
    return this.progress.reached(position);
  }

  publish(entry: Entry): void {
    this.links.publish(entry);
  }

  claim(queueId: string, claim: number): void {
    this.links.claim(queueId, claim);
  }

  mayBeDelivered(position: LogPosition): Promise<boolean> {
    return this.links.mayBeDelivered(position);
  }

  /** Entries that this node committed, in order, the last of them when it writes no more. */
  applyOwn(entries: readonly LogEntry[]): void {
    this.applyAll(entries);
    for (const entry of entries) this.memories.committed(entry);
  }

  /** Entries that the writer committed, in order. */
  applyAll(entries: readonly LogEntry[]): void {
    const { state, memories } = this;
    for (const entry of entries) {
      // The log may be read twice over, from the stream and from PostgreSQL; it is applied once.
      if (entry.position <= state.position) continue;
      memories.foresee(entry);
      if (entry.changes) state.apply(entry.changes);
      state.position = entry.position;
      if (!entry.isUnstored) this.#stored = entry;
      if (entry.event) this.#newest.set(entry.event.type, entry.position);
      // No queue asks for presence pings.
      if (entry.event || !entry.presence) this.recent.push(entry);
      memories.apply(entry);
    }
    this.progress.moved();
  }

  /** What the cluster asks and tells of it, whoever writes. */
  following(): Omit<Member, "beginTerm" | "endTerm" | "execute" | "publish"> {
    return {
      term: () => readEnd(this.database.vital.sql, this.id),
      entries: (rows, areMarked, timeline) => this.follow(rows, areMarked, timeline),
      timeline: () => this.timeline,
      advance: (position) => this.advance(position),
      catchUp: () => this.progress.catchUp(),
      claimed: (queueId, claim) => this.memories.claimed(queueId, claim),
      position: () => this.position,
      queueCount: () => this.memories.clients(),
    };
  }

  /**
   * Entries from the writer's node, in order, without gaps.
   * @param areMarked they say whether they are stored; else nobody knows
   * @param timeline of the PostgreSQL that stored them, as far as it tells
   */
  follow(rows: readonly LogRow[], areMarked = false, timeline?: number): void {
    const { position } = this.state;
    const late = rows.filter((row) => row.position <= position);
    const stored = this.#stored;
    this.applyAll(rows.filter((row) => row.position > position).map(fromRow));
    if (!areMarked) this.#stored = stored;
    if (!areMarked || judgeBatch(this.timeline, timeline) !== "take") this.#isMixed = true;
    // A replica that read on from PostgreSQL has passed over what is not stored.
    for (const row of late) this.memories.applyLate(fromRow(row));
  }

  /** The log stores nothing up to here: positions were skipped, or taken by events that are not stored. */
  advance(position: LogPosition): void {
    this.state.position = Math.max(this.state.position, position);
    this.progress.moved();
  }

  /** Drops the caches of a realm that has not been used for a while. */
  shed(): void {
    this.state.shed();
    this.recent.shed();
    this.memories.forget();
  }

  /** It is not used for now. Nothing that is on its way is applied any more: PostgreSQL may not have it. */
  pause(): void {
    this.era++;
  }

  /**
   * Whether PostgreSQL has all that this replica was made of. Then this applies what else the log has. What is not in
   * the log is read anew.
   * @throws StorageUnavailable
   */
  async isKept(): Promise<boolean> {
    const { vital } = this.database;
    const [stored, era] = [this.#stored, this.era];
    if (stored === undefined || this.#isMixed || this.timeline === undefined) return false;
    const row = await timely(vital, sliceOverdueMs, readLogRow(vital.sql, this.id, stored.position));
    if (row?.json !== toRow(stored).json) return false;
    await this.#readOn(era);
    // Nothing that was found on one PostgreSQL says anything of the next.
    if (this.era !== era) throw new StorageUnavailable("PostgreSQL was promoted meanwhile");
    this.memories.forget();
    return true;
  }

  /** Ends it. Parked polls are answered, and no further poll can park. Returns what PostgreSQL does not have yet. */
  close(): CarriedOver {
    this.#isClosed = true;
    return this.memories.close();
  }

  /** Applies what the log has and this node does not. @param era nothing is applied any more when it is over */
  async #readOn(era = this.era): Promise<void> {
    while (!this.#isClosed && this.era === era) {
      const { vital } = this.database;
      const rows = await timely(vital, sliceOverdueMs, readLog(vital.sql, this.id, this.state.position, catchUpSlice));
      if (this.#isClosed || this.era !== era || rows.length === 0) return;
      this.applyAll(rows.map(fromRow));
    }
  }
}
