/**
 * One realm's seat in the cluster: its beat asks for the lease, its stream brings the writer's log, and commands go
 * from here to the writer. `machine.ts` says what may happen next.
 */
import type { Bus, Following } from "../../storage/cluster/bus.ts";
import type { Leases } from "../../storage/cluster/lease.ts";
import type { LogPosition, RealmId } from "../../storage/ids.ts";
import type { LogRow } from "../../storage/realm-log.ts";
import type { Caller } from "../realm/caller.ts";
import { NotBegun } from "../realm/commit/work.ts";
import type { Entry } from "../realm/entry.ts";
import type { Lag, Logger, Member, Seat } from "./coordination.ts";
import type { Forwarding } from "./forwarding.ts";
import type { Batch, Letter } from "./letters.ts";
import { type SeatAction, type SeatEvent, type SeatState, stepSeat } from "./machine.ts";

/**
 * A writer that dies is replaced after at most its lease and two beats: with the usual lease of 1.5 s, sends resume
 * within three seconds. A writer that is only slow to renew loses nothing but its lease.
 */
export const beatMs = 300;
/** Beats for which a free lease is left to the node that should have it. */
const patience = 2;
/**
 * Beats for which a node that could not begin a term leaves the lease to the others: perhaps only it cannot reach
 * PostgreSQL.
 */
const backOffBeats = patience + 2;
/**
 * How long a node may take to begin a term. Longer than PostgreSQL lets a writer that sleeps hold its successor up, and
 * than a replica that followed takes to read the end of the log.
 */
export const claimMs = 5000;

/** What the lease of a realm's writer is called. */
export const leaseOf = (realmId: RealmId): string => `realm:${realmId}`;

export interface SeatOptions {
  realmId: RealmId;
  bus: Bus;
  leases: Leases;
  /** How long a lease is held that is not renewed. */
  leaseMs: number;
  forwarding: Forwarding;
  member: Member;
  log: Logger;
  /**
   * Whether, of the nodes that are up, this one should write the realm. `lapsed` is none of them: it let its lease run
   * out.
   */
  isPreferred(lapsed?: string): boolean;
  /** This node stops: it takes no lease. */
  isDraining(): boolean;
}

export class ClusterSeat implements Seat {
  state: SeatState = "standing";
  /** Node that holds the lease, as far as is known. */
  writer: string | undefined;
  readonly #options: SeatOptions;
  readonly #following: Following;
  #timer: NodeJS.Timeout | undefined;
  #received: Promise<void> = Promise.resolve();
  #freeBeats = 0;
  #backOff = 0;
  #vacantBeats = 0;
  #isBeating = false;
  /** Steps whose actions are under way: a lease is not asked for before the one before is given back. */
  #acting = 0;
  #claimedAt = 0;
  #isHurried = false;
  /** Something was not told to the others: they have to be shown that there is a gap. */
  #hasUntold = false;
  /** What the newest batch took to come here. */
  #delayMs = 0;
  /** The writer's position as it was told last, and since when this replica has been behind such. */
  #writerPosition = 0;
  #behindSince: number | undefined;
  #tellReady!: () => void;
  /** The first beat is over, and the claim that may have come of it: it is known whether there is a writer. */
  readonly ready = new Promise<void>((resolve) => {
    this.#tellReady = resolve;
  });

  constructor(options: SeatOptions, place: string) {
    this.#options = options;
    this.#following = options.bus.follow(this.#stream, place, (message) => this.#receive(message as Batch));
    void this.#beat().then(() => {
      if (this.state !== "claiming") this.#tellReady();
    });
  }

  publish(previous: LogPosition, rows: readonly LogRow[]): void {
    const { bus } = this.#options;
    bus
      .append(this.#stream, { from: bus.nodeId, previous, at: Date.now(), rows: rows as LogRow[] } satisfies Batch)
      .catch(() => {
        this.#hasUntold = true;
      });
  }

  publishEphemeral(entry: Entry): void {
    const { bus, realmId } = this.#options;
    if (this.writer && this.writer !== bus.nodeId)
      void bus.send(this.writer, { kind: "say", realm: realmId, entry } satisfies Letter).catch(() => {});
  }

  claim(queueId: string, claim: number): void {
    const { bus, realmId } = this.#options;
    void bus.broadcast({ kind: "claim", realm: realmId, queueId, claim } satisfies Letter).catch(() => {});
  }

  async forward(
    name: string,
    args: unknown,
    by: Caller | undefined,
    deadlineMs: number,
  ): Promise<{ reply: unknown; position: LogPosition }> {
    const { bus, forwarding, realmId } = this.#options;
    if (!this.writer || this.writer === bus.nodeId) throw new NotBegun();
    return forwarding.send(this.writer, realmId, name, args, by, deadlineMs);
  }

  /** The writer said where it is. */
  compareWith(position: LogPosition): void {
    this.#writerPosition = position;
    if (this.#options.member.position() >= position) this.#behindSince = undefined;
    else this.#behindSince ??= Date.now();
  }

  lag(): Lag {
    if (this.state === "holding") return { positions: 0, ms: 0 };
    const positions = Math.max(0, this.#writerPosition - this.#options.member.position());
    return { positions, ms: positions > 0 && this.#behindSince ? Date.now() - this.#behindSince : this.#delayMs };
  }

  fenced(): void {
    void this.step({ type: "fenced" });
  }

  async release(): Promise<void> {
    clearTimeout(this.#timer);
    this.#following.stop();
    await this.step({ type: "left" });
  }

  /** The lease is free: the node that should have it asks at once rather than with its next beat. */
  hurry(): void {
    if (this.state !== "standing") return;
    this.writer = undefined;
    if (!this.#options.isPreferred()) return;
    this.#isHurried = true;
    if (this.#isBeating) return;
    clearTimeout(this.#timer);
    void this.#beat();
  }

  /**
   * The writer was here a while ago. What the stream did not bring by now it will not bring: Redis forgot it, or the
   * writer could not add it.
   */
  overdue(position: LogPosition): void {
    if (this.state !== "standing" || position <= this.#options.member.position()) return;
    this.#received = this.#received.then(() => this.#reach(position)).catch(() => {});
  }

  async step(event: SeatEvent): Promise<void> {
    const { state, actions } = stepSeat(this.state, event);
    this.state = state;
    this.#acting++;
    try {
      for (const action of actions) await this.#perform(action);
    } finally {
      this.#acting--;
      if (this.state !== "claiming") this.#tellReady();
    }
  }

  async #perform(action: SeatAction): Promise<void> {
    const { bus, leases, member, realmId } = this.#options;
    switch (action) {
      case "win":
      case "winVacant":
        this.#knowWriter(bus.nodeId);
        this.#claimedAt = performance.now();
        void this.#claim(action === "winVacant");
        return;
      case "lose":
        return member.lost();
      case "giveBack":
        this.writer = undefined;
        await leases.release(this.#lease).catch(() => {});
        await bus.broadcast({ kind: "free", realm: realmId } satisfies Letter).catch(() => {});
        return;
      default:
        return action satisfies never;
    }
  }

  /** Begins a term. What becomes of that is an event like any other, and the beat goes on meanwhile. */
  async #claim(onlyVacant: boolean): Promise<void> {
    const { member, log, realmId } = this.#options;
    try {
      // What is on its way from the writer before is read from PostgreSQL by the new term.
      await member.won(onlyVacant);
    } catch (error) {
      log.warn({ realm: realmId, err: error }, "a term could not begin");
      this.#backOff = backOffBeats;
      return this.step({ type: "term.failed" });
    }
    // The one before may not have told the others everything.
    this.#hasUntold = true;
    await this.step({ type: "term.begun" });
  }

  get #hasLeft(): boolean {
    return this.state === "left";
  }

  get #lease(): string {
    return leaseOf(this.#options.realmId);
  }

  get #stream(): string {
    return `log:${this.#options.realmId}`;
  }

  async #beat(): Promise<void> {
    this.#isBeating = true;
    this.#isHurried = false;
    try {
      await this.#askForLease();
      if (this.state === "holding" && this.#hasUntold) await this.#showGap();
    } catch {
      // The store is away. A writer goes on; the others read the log where it is anyway.
      if (this.state === "standing") await this.#standAlone().catch(() => {});
    }
    this.#isBeating = false;
    if (!this.#hasLeft) this.#timer = setTimeout(() => void this.#beat(), this.#isHurried ? 0 : beatMs);
  }

  /**
   * While nobody can be asked for the lease, a node takes only what is nobody's: a process without a seat, the command
   * line, took the realm from its writer and left it.
   */
  async #standAlone(): Promise<void> {
    const { member, isDraining } = this.#options;
    await member.catchUp();
    this.#vacantBeats = (await member.isVacant()) ? this.#vacantBeats + 1 : 0;
    if (this.state !== "standing" || this.#acting > 0 || isDraining() || this.#isBackingOff()) return;
    if (this.#vacantBeats > patience) await this.step({ type: "term.vacant" });
  }

  async #askForLease(): Promise<void> {
    const { bus, leases, isPreferred, isDraining, log, realmId } = this.#options;
    if (this.#acting > 0 || this.#hasLeft) return;
    if (this.state === "holding" || this.state === "claiming") {
      if (!(await this.#hold())) {
        this.#knowWriter(await leases.holder(this.#lease));
        await this.step({ type: "lease.denied" });
      } else if (this.state === "claiming" && performance.now() - this.#claimedAt > claimMs) {
        log.warn({ realm: realmId }, "a term did not begin in time; another node may try");
        this.#backOff = backOffBeats;
        await this.step({ type: "claim.overdue" });
      }
      return;
    }
    const holder = await leases.holder(this.#lease);
    if (holder !== undefined && holder !== bus.nodeId) {
      this.#freeBeats = 0;
      this.#knowWriter(holder);
      return;
    }
    if (this.state !== "standing" || isDraining() || this.#isBackingOff()) return;
    // A writer whose lease ran out is not waited for, though it may still be listed among the nodes.
    const lapsed = this.writer === bus.nodeId ? undefined : this.writer;
    if (!isPreferred(lapsed) && this.#freeBeats++ < patience) return;
    if (await this.#hold()) await this.step({ type: "lease.granted" });
  }

  #hold(): Promise<boolean> {
    return this.#options.leases.hold(this.#lease, this.#options.leaseMs);
  }

  #isBackingOff(): boolean {
    if (this.#backOff === 0) return false;
    this.#backOff--;
    return true;
  }

  async #showGap(): Promise<void> {
    const { bus, member } = this.#options;
    await bus.append(this.#stream, {
      from: bus.nodeId,
      previous: member.position(),
      at: Date.now(),
      rows: [],
    } satisfies Batch);
    this.#hasUntold = false;
  }

  #knowWriter(writer: string | undefined): void {
    if (writer === this.writer) return;
    this.writer = writer;
    if (writer !== undefined) this.#options.forwarding.writerChanged(this.#options.realmId, writer);
  }

  /** Batches are taken one after the other, also when one has to wait for PostgreSQL to fill a gap before it. */
  #receive(batch: Batch): void {
    const { bus, member, log, realmId } = this.#options;
    if (batch.from === bus.nodeId) return;
    // Clocks may differ, but nothing comes before it was sent.
    this.#delayMs = Math.max(0, Date.now() - batch.at);
    this.#received = this.#received.then(async () => {
      try {
        await this.#reach(batch.previous);
        if (!this.#hasLeft) member.entries(batch.rows);
      } catch (error) {
        log.warn({ realm: realmId, err: error }, "the log could not be followed; it is read again soon");
      }
    });
  }

  /** Makes sure that nothing is missing up to here. A realm that was let go meanwhile is another one by now. */
  async #reach(position: LogPosition): Promise<void> {
    const { member } = this.#options;
    if (this.#hasLeft || position <= member.position()) return;
    await member.catchUp();
    if (!this.#hasLeft) member.advance(position);
  }
}
