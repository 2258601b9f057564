/**
 * This node as a candidate for one realm's writer. Its beat asks for the lease, its stream brings the writer's log, and
 * commands go from here to the writer. `machine.ts` says what may happen next.
 */

import type { Bus, Following } from "../../storage/cluster/bus.ts";
import type { Leases } from "../../storage/cluster/lease.ts";
import type { LogPosition, RealmId } from "../../storage/ids.ts";
import type { LogRow } from "../../storage/realm-log.ts";
import type { Logger } from "../logger.ts";
import { NotBegun } from "../realm/commit/work.ts";
import type { ForwardedCommand, Lag, Member, Membership } from "../realm/coordination.ts";
import type { Entry } from "../realm/entry.ts";
import type { Forwarding } from "./forwarding.ts";
import type { LivenessProbe } from "./liveness-probe.ts";
import { type CandidateAction, type CandidateEvent, type CandidateState, stepCandidate } from "./machine.ts";
import type { Batch, NodeMessage } from "./node-messages.ts";

/**
 * A writer that dies is replaced after at most its lease and two beats. With the usual lease of 1.5 s, sends resume
 * within three seconds. A writer that is only slow to renew loses nothing but its lease.
 */
export const beatMs = 300;
/** For so many beats a free lease is left to the node that should have it. */
const patience = 2;
/**
 * For so many beats a node that could not begin a term leaves the lease to the others. Perhaps only it cannot reach
 * PostgreSQL.
 */
const backOffBeats = patience + 2;
/**
 * How long a node may take to begin a term. It is longer than PostgreSQL lets a sleeping writer delay its successor,
 * and longer than a follower takes to read the end of the log.
 */
export const claimMs = 5000;

/** The name of the lease of a realm's writer. */
export const leaseOf = (realmId: RealmId): string => `realm:${realmId}`;

export interface CandidateOptions {
  realmId: RealmId;
  bus: Bus;
  leases: Leases;
  /** How long a lease lasts without being renewed. */
  leaseMs: number;
  forwarding: Forwarding;
  member: Member;
  log: Logger;
  /** Whether this node should write the realm, of those that are up without `lapsed`, which let its lease run out. */
  isPreferred(lapsed?: string): boolean;
  /** Whether this node is stopping: then it takes no lease. */
  isDraining(): boolean;
  /** Of the nodes that write, while Redis is away. */
  liveness: LivenessProbe;
  /** Resolves when other nodes were answered what they asked for until now, or after a while. */
  answered(): Promise<void>;
}

/** Events that are not stored wait so long for a writer: who is typing is no news any more after that. */
const keptMs = 5000;
const maxUnpublished = 1000;

export class Candidate implements Membership {
  state: CandidateState = "following";
  #writer: string | undefined;
  /** Since when nobody is known who writes, by `performance.now()`. */
  #writerlessSince: number | undefined = performance.now();
  readonly #options: CandidateOptions;
  readonly #following: Following;
  #timer: NodeJS.Timeout | undefined;
  #received: Promise<void> = Promise.resolve();
  #freeBeats = 0;
  #backOff = 0;
  /** For so many beats nobody has been in the newest term, which PostgreSQL knows by its epoch. */
  #vacantBeats = 0;
  #newestEpoch = 0;
  #isBeating = false;
  /** Steps whose actions are under way. A lease is asked for only after the previous one was given back. */
  #acting = 0;
  #claimedAt = 0;
  #isHurried = false;
  /** Something was not published to the others: they have to be shown that there is a gap. */
  #hasUntold = false;
  /** How long the newest batch took to arrive. */
  #delayMs = 0;
  /** The writer's position as last told, and since when this replica has been behind it. */
  #writerPosition = 0;
  #behindSince: number | undefined;
  /** Events that no disk keeps, and for which no writer was known. */
  #unpublished: { entry: Entry; at: number }[] = [];
  #tellReady!: () => void;
  /** Resolves after the first beat and the claim it may lead to: then it is known whether there is a writer. */
  readonly ready = new Promise<void>((resolve) => {
    this.#tellReady = resolve;
  });

  constructor(options: CandidateOptions, place: string) {
    this.#options = options;
    this.#following = options.bus.follow(this.#stream, place, (message) => this.#receive(message as Batch));
    void this.#beat().then(() => {
      if (this.state !== "claiming") this.#tellReady();
    });
  }

  /** Node that holds the lease, as far as is known. */
  get writer(): string | undefined {
    return this.#writer;
  }

  set writer(node: string | undefined) {
    this.#writer = node;
    this.#writerlessSince = node === undefined ? (this.#writerlessSince ?? performance.now()) : undefined;
  }

  writerlessMs(): number {
    return this.#writerlessSince === undefined ? 0 : performance.now() - this.#writerlessSince;
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
      void bus.send(this.writer, { kind: "publish", realm: realmId, entry } satisfies NodeMessage).catch(() => {});
    else if (this.#unpublished.push({ entry, at: performance.now() }) > maxUnpublished) this.#unpublished.shift();
  }

  /** Publishes what came while one writer had ended and the next was not known. */
  #publishKept(): void {
    const since = performance.now() - keptMs;
    for (const { entry, at } of this.#unpublished.splice(0)) if (at > since) this.#options.member.publish(entry);
  }

  claim(queueId: string, claim: number): void {
    const { bus, realmId } = this.#options;
    void bus.broadcast({ kind: "claim", realm: realmId, queueId, claim } satisfies NodeMessage).catch(() => {});
  }

  async forward(command: ForwardedCommand, deadlineMs: number): Promise<{ reply: unknown; position: LogPosition }> {
    const { bus, forwarding, realmId } = this.#options;
    if (!this.writer || this.writer === bus.nodeId) throw new NotBegun();
    return forwarding.send(this.writer, realmId, command, deadlineMs);
  }

  /** Takes the writer's position. */
  compareWith(position: LogPosition): void {
    this.#writerPosition = position;
    if (this.#options.member.position() >= position) this.#behindSince = undefined;
    else this.#behindSince ??= Date.now();
  }

  lag(): Lag {
    if (this.state === "writing") return { positions: 0, ms: 0 };
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

  /** The lease is free. The node that should have it asks at once, not at its next beat. */
  leaseFreed(): void {
    if (this.state !== "following") return;
    this.writer = undefined;
    if (!this.#options.isPreferred()) return;
    this.#isHurried = true;
    if (this.#isBeating) return;
    clearTimeout(this.#timer);
    void this.#beat();
  }

  /**
   * The writer was at this position a while ago. What the stream has not brought by now it will not bring: Redis forgot
   * it, or the writer could not add it.
   */
  overdue(position: LogPosition): void {
    if (this.state !== "following" || position <= this.#options.member.position()) return;
    this.#received = this.#received.then(() => this.#reach(position)).catch(() => {});
  }

  async step(event: CandidateEvent): Promise<void> {
    const { state, actions } = stepCandidate(this.state, event);
    this.state = state;
    this.#acting++;
    try {
      for (const action of actions) await this.#perform(action);
    } finally {
      this.#acting--;
      if (this.state !== "claiming") this.#tellReady();
    }
  }

  async #perform(action: CandidateAction): Promise<void> {
    const { bus, leases, member, realmId } = this.#options;
    switch (action) {
      case "beginTerm":
      case "beginVacantTerm":
        this.#knowWriter(bus.nodeId);
        this.#claimedAt = performance.now();
        void this.#claim(action === "beginVacantTerm" ? this.#newestEpoch : undefined);
        return;
      case "endTerm":
        await member.endTerm();
        // News of a successor is not to come before.
        return this.#options.answered();
      case "releaseLease":
        this.writer = undefined;
        await leases.release(this.#lease).catch(() => {});
        await bus.broadcast({ kind: "free", realm: realmId } satisfies NodeMessage).catch(() => {});
        return;
      default:
        return action satisfies never;
    }
  }

  /** Begins a term. The outcome is an event like any other, and the beat goes on meanwhile. */
  async #claim(after: number | undefined): Promise<void> {
    const { member, log, realmId } = this.#options;
    try {
      // The new term reads from PostgreSQL what the previous writer has not published yet.
      await member.beginTerm(after);
    } catch (error) {
      log.warn({ realm: realmId, err: error }, "a term could not begin");
      this.#backOff = backOffBeats;
      return this.step({ type: "term.failed" });
    }
    // The previous writer may not have published everything.
    this.#hasUntold = true;
    await this.step({ type: "term.begun" });
    if (this.state === "writing") this.#publishKept();
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
      if (this.state === "writing" && this.#hasUntold) await this.#showGap();
    } catch {
      // The store of leases is away. A writer goes on. The others read the log from PostgreSQL.
      if (this.state === "following") await this.#standAlone().catch(() => {});
    }
    this.#isBeating = false;
    if (!this.#hasLeft) this.#timer = setTimeout(() => void this.#beat(), this.#isHurried ? 0 : beatMs);
  }

  /**
   * While no lease can be asked for, PostgreSQL names the writer, which is asked whether it lives. A node takes only a
   * realm without one. Its writer is gone, or lost PostgreSQL and so could not say that it stopped. Or the command
   * line, which is no candidate, took the realm and left. Of several that try one begins the next epoch.
   */
  async #standAlone(): Promise<void> {
    const { bus, member, isDraining, liveness, realmId } = this.#options;
    await member.catchUp();
    const { epoch, isServed, node } = await member.term();
    if (this.state !== "following" || this.#acting > 0) return;
    // Who stands is in no term, whatever it could say when the last one ended.
    const other = isServed && node !== bus.nodeId ? node : undefined;
    if (other) this.#knowWriter(other);
    const isVacant = other === undefined || (other !== null && liveness.disowns(other, realmId));
    this.#vacantBeats = isVacant && (epoch === this.#newestEpoch || !isServed) ? this.#vacantBeats + 1 : 0;
    this.#newestEpoch = epoch;
    const isGone = other ? liveness.isGone(other) : false;
    if (other) liveness.probe(other);
    if (isDraining() || this.#isBackingOff()) return;
    if (this.#vacantBeats > patience || isGone) await this.step({ type: "term.vacant" });
  }

  async #askForLease(): Promise<void> {
    const { bus, leases, isPreferred, isDraining, log, realmId } = this.#options;
    if (this.#acting > 0 || this.#hasLeft) return;
    if (this.state === "writing" || this.state === "claiming") {
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
    if (this.state !== "following" || isDraining() || this.#isBackingOff()) return;
    // A writer whose lease ran out is not waited for, even if it is still listed among the nodes.
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
    if (writer === undefined) return;
    this.#options.forwarding.writerChanged(this.#options.realmId, writer);
    if (writer !== this.#options.bus.nodeId) this.#publishKept();
  }

  /** Batches are taken one after the other, also when one has to wait for PostgreSQL to fill a gap before it. */
  #receive(batch: Batch): void {
    const { bus, member, log, realmId } = this.#options;
    if (batch.from === bus.nodeId) return;
    // Clocks may differ, but a delay is never negative.
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

  /** Makes sure that nothing is missing up to here, unless the realm was dropped meanwhile. */
  async #reach(position: LogPosition): Promise<void> {
    const { member } = this.#options;
    if (this.#hasLeft || position <= member.position()) return;
    await member.catchUp();
    if (!this.#hasLeft) member.advance(position);
  }
}
