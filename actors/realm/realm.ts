/**
 * A realm on this node: a handle that stays. The loaded part (`loaded`) comes and goes.
 *
 * `machine.ts` decides what happens next, and this shell does it. Commands go to the writer, on whichever node it is.
 * They are answered after the replica here has applied their entries. Reads are synchronous and look at `state`.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { LogPosition, RealmId } from "../../storage/ids.ts";
import type { Lack } from "../../storage/log/promotions.ts";
import type { Database } from "../../storage/postgres.ts";
import { RealmGone } from "../../storage/postgres.ts";
import { WriterFenced } from "../../storage/realm-log.ts";
import { reservedPosition } from "../../storage/realms.ts";
import { errors } from "../errors.ts";
import type { ArgsOf, CommandName, ReplyOf } from "./command.ts";
import type { Origin } from "./commit/audit.ts";
import { Execution } from "./commit/execution.ts";
import { KnownBefore } from "./commit/known-before.ts";
import { publishCommitted } from "./commit/publish-committed.ts";
import { SetAside } from "./commit/set-aside.ts";
import { untilAnswers } from "./commit/until-answers.ts";
import { WriterTerm } from "./commit/writer-term.ts";
import type { Lag, Membership } from "./coordination.ts";
import type { Entry } from "./entry.ts";
import type { RealmEnvironment } from "./environment.ts";
import { CurrentLoad } from "./load.ts";
import { LoadedRealm } from "./loaded.ts";
import { type RealmMachineAction, type RealmMachineEvent, type RealmMachineState, stepRealm } from "./machine.ts";
import type { Memories } from "./memory.ts";
import type { Nouns } from "./noun.ts";
import { untilAtEnd } from "./progress.ts";
import type { Moment } from "./read-lease.ts";
import type { ServedRealm } from "./served.ts";
import type { RealmState } from "./state/state.ts";
import type { Turns } from "./turns.ts";

/** Pause between two attempts to load. */
const retryMs = 50;
/**
 * How long a read may wait for an answer that only the writer can give. Only a busy writer is waited for: not one that
 * is gone, or has a successor.
 */
const writerPatienceMs = 5000;
/** A commit that takes longer is reported as trouble. */
const hangsAfterMs = 1500;

export class Realm implements ServedRealm {
  status: RealmMachineState = "passivated";
  /** Everything this node knows of the realm; undefined unless it is loaded. */
  loaded: LoadedRealm | undefined;
  #loading: Promise<void> | undefined;
  readonly #currentLoad = new CurrentLoad();
  readonly #aside = new SetAside();
  #membership: Membership | undefined;
  #usedAt = 0;
  #isRetired = false;
  readonly #knownBefore = new KnownBefore();
  readonly #writerTerm: WriterTerm;
  readonly #execution: Execution;

  constructor(
    readonly id: RealmId,
    /** What requests say in their Host header; null: it answers to any. */
    readonly host: string | null,
    readonly environment: RealmEnvironment,
    private readonly nouns: Omit<Nouns, "jobs">,
  ) {
    this.#writerTerm = new WriterTerm(id, environment, nouns.audits);
    this.#execution = new Execution({
      environment,
      commands: nouns.commands,
      loaded: () => this.loaded,
      writer: () => this.#writerTerm.writer,
      membership: () => this.#membership,
      activate: () => this.activate(),
    });
  }

  /** Loads the realm if it is not loaded, or has failed. @throws SERVICE_UNAVAILABLE, RealmGone */
  async activate(): Promise<void> {
    this.#usedAt = this.environment.steady();
    const deadline = performance.now() + this.environment.limits.commandDeadlineMs;
    if (this.#isRetired) throw new RealmGone(`organization ${this.id} is not here any more`);
    while (!this.isReady) {
      try {
        this.#step({ type: "used", hasTerm: this.isWriter });
        await this.#loading;
      } catch (error) {
        // PostgreSQL may be restarting: callers can wait a little.
        if (performance.now() > deadline) throw error;
        await delay(retryMs);
        await untilAnswers(this.environment.database, deadline);
      }
    }
  }

  /** Notes that the realm is used. It stays loaded, and a writer in use keeps its read lease. */
  touch(): void {
    this.#usedAt = this.environment.steady();
    if (this.#writerTerm.isRenewalDue)
      void this.#present()
        .progress.reachEnd()
        .catch(() => {});
  }

  get isReady(): boolean {
    return this.status === "following" || this.status === "writing";
  }

  /** What is loaded, or set aside with its queues. */
  get replica(): LoadedRealm | undefined {
    return this.loaded ?? this.#aside.replica;
  }

  get database(): Database {
    return this.environment.database;
  }

  get state(): RealmState {
    return this.#present().state;
  }

  get memories(): Memories {
    return this.#present().memories;
  }

  get turns(): Turns {
    return this.#present().turns;
  }

  /** The newest log position that this node has applied. */
  get position(): LogPosition {
    return this.#present().state.position;
  }

  get mailboxDepth(): number {
    return this.#writerTerm.writer?.depth ?? 0;
  }

  /** Whether no other node can know more than this one; see `read-lease.ts`. */
  get holdsReadLease(): boolean {
    return this.#writerTerm.holdsReadLease;
  }

  /** Whether it can be changed through this node now. */
  changeHealth(patienceMs: number) {
    const { writer } = this.#writerTerm;
    // Without Redis a node serves as long as it knows the writer, for which it asks PostgreSQL.
    const isWriterless = !writer && (this.#membership?.writerlessMs() ?? 0) > patienceMs;
    const trouble = isWriterless ? "no node is known that writes" : writer?.trouble(Math.min(patienceMs, hangsAfterMs));
    return this.#execution.changeHealth(trouble, patienceMs);
  }

  newestOf(types: readonly string[]): LogPosition {
    return this.loaded?.newestOf(types) ?? 0;
  }

  get isWriter(): boolean {
    return this.#writerTerm.writer !== undefined;
  }

  /** How far this replica is behind its writer, as far as is known. The writer's own is never behind. */
  lag(): Lag {
    return this.#membership?.lag() ?? { positions: 0, ms: 0 };
  }

  /**
   * Has a command decided and committed by the realm's writer. Resolves when it is durable and applied here.
   *
   * @throws ApiError with what the command was refused for. SERVICE_UNAVAILABLE without a writer until the deadline, or
   * when nobody can say whether it was done.
   */
  async execute<N extends CommandName>(name: N, args: ArgsOf<N>, from?: Origin): Promise<ReplyOf<N>> {
    return this.#execution.execute(name, args, from);
  }

  /** Publishes an event that is not stored. A node that is not the writer sends it there first. */
  publish(entry: Entry): void {
    const { writer } = this.#writerTerm;
    if (writer) {
      for (const decided of this.memories.decide(entry)) writer.publish(decided);
    } else this.#membership?.publishEphemeral(entry);
  }

  claim(queueId: string, claim: number): void {
    this.#membership?.claim(queueId, claim);
  }

  async askWriter(): Promise<LogPosition> {
    return (await this.#execution.forward("tellPosition", {}, undefined, writerPatienceMs)).reply as LogPosition;
  }

  /** Reads what another process may have added to the log without telling. */
  refresh(): Promise<void> {
    return this.#present().progress.catchUp();
  }

  /**
   * Resolves when a read here misses nothing that any node told anybody before this call. A writer with a read lease
   * knows it all, but for a slow commit. Another node asks PostgreSQL for the end. All calls meanwhile share it.
   *
   * @throws SERVICE_UNAVAILABLE
   */
  async current(): Promise<void> {
    if (this.holdsReadLease) return;
    const { commandDeadlineMs } = this.environment.limits;
    await untilAtEnd(() => this.#present().progress, this.#writerTerm.slowCommitOver(), commandDeadlineMs);
  }

  /** The same for presence, which is not stored. Only the writer knows it. Undefined: nobody has to be asked. */
  currentUnstored(): Promise<unknown> | undefined {
    return this.isWriter ? undefined : this.#present().progress.reachWriter();
  }

  /** Resolves when this node has applied whatever the log holds up to `position`. */
  reached(position: LogPosition): Promise<void> {
    return this.#present().progress.reached(position);
  }

  /** Whether any node may have told a client of an event at this position. Without a writer: of every reserved one. */
  async mayBeDelivered(position: LogPosition): Promise<boolean> {
    if (position <= this.position) return true;
    await this.current();
    if (position <= this.position) return true;
    if (this.holdsReadLease) return false;
    const written = await this.#present().progress.reachWriter();
    return position <= (written ?? (await reservedPosition(this.database.sql, this.id)));
  }

  /** Called now and then, by the steady clock. A realm that nobody uses gives its memory back. */
  sweep(now: number): void {
    const { loaded } = this;
    if (!loaded) return;
    loaded.memories.sweep(this.environment.clock());
    const clients = loaded.memories.clients();
    // Another process may have written and ended. Queues wait for what it wrote.
    if (this.isWriter && clients > 0) void loaded.progress.checkEpoch().catch(() => {});
    const unusedSecs = now - this.#usedAt;
    const idleAfterSecs = this.environment.limits.realmIdleAfterSecs;
    if (clients > 0 || unusedSecs < idleAfterSecs) return;
    if (this.status === "idle" && unusedSecs < 2 * idleAfterSecs) return;
    this.#step({ type: "unused" });
  }

  /**
   * Ends this node's part in the realm. Parked polls are answered, and a writer hands over.
   * @param isGone it was deleted, or is served elsewhere: it is never loaded again
   */
  async stop(isGone = false): Promise<void> {
    this.#isRetired ||= isGone;
    this.#currentLoad.drop();
    await this.replica?.memories.stop();
    this.#aside.giveUp();
    await this.#writerTerm.writer?.stop();
    this.#writerTerm.end();
    await this.#writerTerm.ended();
    await this.#membership?.release();
    this.#membership = undefined;
  }

  /** @throws SERVICE_UNAVAILABLE while the realm is not loaded, as when a failure drops it during a request */
  #present(): LoadedRealm {
    if (!this.loaded) throw errors.SERVICE_UNAVAILABLE("The organization is being loaded again.");
    return this.loaded;
  }

  #step(event: RealmMachineEvent): void {
    const { state, actions } = stepRealm(this.status, event);
    this.status = state;
    for (const action of actions) this.#perform(action);
  }

  /** Performs an action of the machine. Nothing else changes the realm's state. */
  #perform(action: RealmMachineAction): void {
    switch (action) {
      case "load":
        this.#loading = this.#load();
        // `activate` awaits it and reports a failure.
        this.#loading.catch(() => {});
        return;
      case "beginTerm":
        this.#writerTerm.begin();
        return;
      case "endTerm":
        this.#writerTerm.end();
        return;
      case "shed":
        this.loaded?.shed();
        return;
      case "setAside":
      case "drop":
        this.#letGo(action);
        return;
      default:
        action satisfies never;
    }
  }

  async #load(): Promise<void> {
    const started = performance.now();
    const { database, isDropped } = this.#currentLoad.begin(this.environment.database);
    try {
      // Joins before the state is read. Entries that are published from now on come after the state, or are in it.
      const { place, told } = await this.environment.coordination.streamEnd(this.id);
      this.#knownBefore.noteTold(told);
      await this.#knownBefore.endQueues(this.environment, this.id, this.#aside.replica);
      const loaded = await this.#aside.next((left) =>
        LoadedRealm.load(this, this.host, this.nouns.memories, left, database),
      );
      if (isDropped()) throw new Error("it was stopped meanwhile");
      const isKept = this.#aside.taken(loaded);
      loaded.timeline = this.database.answering?.timeline;
      this.loaded = loaded;
      this.#step({ type: "loaded" });
      const membership = await this.environment.coordination.join(this.id, place, {
        ...loaded.following(),
        beginTerm: (after) => this.#becomeWriter(loaded, after),
        endTerm: () => this.#loseLease(),
        execute: (command) => this.#execution.executeFor(command),
        publish: (entry) => this.publish(entry),
      });
      // Nobody else knows of this membership, which would hold the lease for ever.
      if (isDropped()) await membership.release();
      else this.#membership = membership;
      this.environment.log.info(
        { realm: this.id, isKept, users: loaded.state.users.size, ms: Math.round(performance.now() - started) },
        "realm loaded",
      );
    } catch (error) {
      this.environment.log.error({ realm: this.id, err: error }, "realm could not be loaded");
      if (!isDropped()) this.#step({ type: this.#aside.failed(error) });
      throw errors.SERVICE_UNAVAILABLE("The organization cannot be loaded right now.");
    }
  }

  /** Takes over as the writer. @throws NotBegun when the realm was loaded again, or dropped, meanwhile */
  async #becomeWriter(loaded: LoadedRealm, after: number | undefined): Promise<void> {
    const epoch = await this.#writerTerm.appoint(loaded, {
      after,
      ...this.#knownBefore.forTerm,
      isWanted: () => this.loaded === loaded && (this.status === "following" || this.status === "idle"),
      onLoss: () => this.mayLack("lost"),
      onCommitted: (...batch) => publishCommitted(this.environment, this.#membership, ...batch),
      onFailure: (error) => this.#failed(error),
    });
    this.#knownBefore.forget();
    this.#step({ type: "lease.won" });
    this.environment.log.info({ realm: this.id, epoch, position: loaded.position }, "writing");
  }

  /** PostgreSQL may lack what is known here, as a standby that was promoted: everything is checked against it. */
  mayLack(lack: Lack): void {
    this.#aside.doubt();
    this.#knownBefore.note(lack, this.replica);
    if (this.status === "passivated" || this.status === "failed") return;
    this.#step({ type: lack === "promoted" ? "doubted" : "failed" });
  }

  #failed(error: unknown): void {
    if (error instanceof WriterFenced) {
      this.environment.log.warn({ realm: this.id, reason: error.message }, "this node's term as the writer is over");
      this.environment.metrics.fenced();
      this.#step({ type: "lease.lost" });
      this.#membership?.fenced();
      return;
    }
    this.environment.log.error(
      { realm: this.id, err: error },
      "writer failed; the realm is checked against PostgreSQL",
    );
    this.environment.metrics.writerFailed();
    this.#step({ type: this.#aside.failed(error) });
  }

  confirmEpoch(epoch: number, askedAt: Moment): void {
    try {
      this.#writerTerm.confirmEpoch(epoch, askedAt);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Resolves when the last commit of the term is over. */
  async #loseLease(): Promise<void> {
    this.#step({ type: "lease.lost" });
    await this.#writerTerm.ended();
  }

  /** Lets nobody use the replica before it is looked at, or drops it. Queues of that are revived by their next poll. */
  #letGo(how: "setAside" | "drop"): void {
    const { loaded } = this;
    if (loaded && how === "setAside") this.#aside.put(loaded, () => this.activate());
    else this.#aside.drop(loaded);
    this.loaded = undefined;
    this.#currentLoad.drop();
    this.#writerTerm.withdraw();
    void this.#membership?.release();
    this.#membership = undefined;
  }
}
