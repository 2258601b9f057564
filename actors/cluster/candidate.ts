/**
 * This node as a candidate for one realm's writer. It checks the realm's lease a few times a second. `claim.ts` says
 * whether it may claim the realm, and `machine.ts` what may happen next. `log-stream.ts` brings the writer's log, and
 * commands go to the writer through `writer-route.ts`.
 */
import type { Bus } from "../../storage/cluster/bus.ts";
import type { Leases } from "../../storage/cluster/lease.ts";
import type { LogPosition, RealmId } from "../../storage/ids.ts";
import type { LogRow } from "../../storage/realm-log.ts";
import type { Logger } from "../logger.ts";
import type { Metrics } from "../metrics.ts";
import type { ForwardedCommand, Lag, Member, Membership } from "../realm/coordination.ts";
import type { Entry } from "../realm/entry.ts";
import type { Tracer } from "../tracing.ts";
import {
  backOffChecks,
  type ClaimMemory,
  type Judged,
  judgeLease,
  judgeRenewal,
  judgeTerm,
  noMemory,
  otherNodeIn,
} from "./claim.ts";
import type { Forwarding } from "./forwarding.ts";
import type { LivenessProbe } from "./liveness-probe.ts";
import { LogStream } from "./log-stream.ts";
import { type CandidateAction, type CandidateEvent, type CandidateState, stepCandidate } from "./machine.ts";
import type { NodeMessage } from "./node-messages.ts";
import { WriterRoute } from "./writer-route.ts";

/**
 * A writer that dies is replaced after at most its lease and two checks. With the usual lease of 1.5 s, sends resume
 * within three seconds. A writer that is only slow to renew loses nothing but its lease.
 */
export const checkMs = 300;

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
  metrics: Metrics;
  tracer?: Tracer | undefined;
  /** Whether this node should write the realm, of those that are up without `lapsed`, which let its lease run out. */
  isPreferred(lapsed?: string): boolean;
  /** Whether this node is stopping: then it takes no lease. */
  isDraining(): boolean;
  /** Of the nodes that write, while Redis is away. */
  liveness: LivenessProbe;
  /** Resolves when other nodes were answered what they asked for until now, or after a while. */
  answered(): Promise<void>;
}

export class Candidate implements Membership {
  state: CandidateState = "following";
  readonly route: WriterRoute;
  readonly #options: CandidateOptions;
  readonly #stream: LogStream;
  readonly #ready = resolvable();
  #memory: ClaimMemory = noMemory;
  #claimedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #checking: "no" | "once" | "again" = "no";
  /** Steps whose actions are under way. A lease is asked for only after the previous one was given back. */
  #acting = 0;

  constructor(options: CandidateOptions, place: string) {
    this.#options = options;
    const { realmId, bus, forwarding, member } = options;
    this.route = new WriterRoute({ realmId, bus, forwarding, publish: (entry) => member.publish(entry) });
    this.#stream = new LogStream(options, place);
    void this.#check().then(() => {
      if (this.state !== "claiming") this.#ready.resolve();
    });
  }

  /** Resolves after the first check and the claim it may lead to: then it is known whether there is a writer. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  writerlessMs(): number {
    return this.route.writerlessMs();
  }

  publish(previous: LogPosition, rows: readonly LogRow[], traces: readonly string[]): void {
    this.#stream.publish(previous, rows, traces);
  }

  publishEphemeral(entry: Entry): void {
    this.route.publish(entry);
  }

  claim(queueId: string, claim: number): void {
    const { bus, realmId } = this.#options;
    void bus.broadcast({ kind: "claim", realm: realmId, queueId, claim } satisfies NodeMessage).catch(() => {});
  }

  forward(command: ForwardedCommand, deadlineMs: number): Promise<{ reply: unknown; position: LogPosition }> {
    return this.route.forward(command, deadlineMs);
  }

  /** Takes the writer's position. */
  compareWith(position: LogPosition): void {
    this.#stream.compareWith(position);
  }

  lag(): Lag {
    return this.state === "writing" ? { positions: 0, ms: 0 } : this.#stream.lag();
  }

  /** The writer was at this position a while ago, so the stream should have brought it. */
  overdue(position: LogPosition): void {
    if (this.state === "following") this.#stream.overdue(position);
  }

  fenced(): void {
    void this.step({ type: "fenced" });
  }

  async release(): Promise<void> {
    clearTimeout(this.#timer);
    this.#stream.stop();
    await this.step({ type: "left" });
  }

  /** The lease is free. The node that should have it asks at once, not at its next check. */
  leaseFreed(): void {
    if (this.state !== "following") return;
    this.route.setWriter(undefined);
    if (!this.#options.isPreferred()) return;
    if (this.#checking !== "no") {
      this.#checking = "again";
      return;
    }
    clearTimeout(this.#timer);
    void this.#check();
  }

  async step(event: CandidateEvent): Promise<void> {
    const { state, actions } = stepCandidate(this.state, event);
    this.state = state;
    this.#acting++;
    try {
      for (const action of actions) await this.#perform(action);
    } finally {
      this.#acting--;
      if (this.state !== "claiming") this.#ready.resolve();
    }
  }

  async #perform(action: CandidateAction): Promise<void> {
    const { bus, leases, member, realmId } = this.#options;
    switch (action) {
      case "beginTerm":
      case "beginVacantTerm":
        this.route.setWriter(bus.nodeId);
        this.#claimedAt = performance.now();
        void this.#beginTerm(action === "beginVacantTerm" ? this.#memory.epoch : undefined);
        return;
      case "endTerm":
        await member.endTerm();
        // News of a successor is not to come before.
        return this.#options.answered();
      case "releaseLease":
        this.route.setWriter(undefined);
        await leases.release(this.#lease).catch(() => {});
        await bus.broadcast({ kind: "free", realm: realmId } satisfies NodeMessage).catch(() => {});
        return;
      default:
        return action satisfies never;
    }
  }

  /** Begins a term. The outcome is an event like any other, and the checks go on meanwhile. */
  async #beginTerm(after: number | undefined): Promise<void> {
    const { member, log, realmId } = this.#options;
    try {
      // The new term reads from PostgreSQL what the previous writer has not published yet.
      await member.beginTerm(after);
    } catch (error) {
      log.warn({ realm: realmId, err: error }, "a term could not begin");
      this.#memory = { ...this.#memory, backOff: backOffChecks };
      return this.step({ type: "term.failed" });
    }
    // The previous writer may not have published everything.
    this.#stream.noteGap();
    await this.step({ type: "term.begun" });
    if (this.state === "writing") this.route.publishWaiting();
  }

  get #lease(): string {
    return leaseOf(this.#options.realmId);
  }

  async #check(): Promise<void> {
    this.#checking = "once";
    try {
      await this.#checkLease();
      if (this.state === "writing") await this.#stream.showGap();
    } catch {
      // The store of leases is away. A writer goes on. The others read the log from PostgreSQL.
      if (this.state === "following") await this.#checkTerm().catch(() => {});
    }
    const pauseMs = this.#isAskedAgain ? 0 : checkMs;
    this.#checking = "no";
    if (this.state !== "left") this.#timer = setTimeout(() => void this.#check(), pauseMs);
  }

  /** Whether the lease was freed during the check, perhaps after it was asked for. */
  get #isAskedAgain(): boolean {
    return this.#checking === "again";
  }

  async #checkLease(): Promise<void> {
    if (this.#acting > 0 || this.state === "left") return;
    if (this.state === "writing" || this.state === "claiming") await this.#renewLease();
    else await this.#claimLease();
  }

  async #renewLease(): Promise<void> {
    const { leases, log, realmId } = this.#options;
    const isHeld = await this.#holdLease();
    if (!isHeld) this.route.setWriter(await leases.holder(this.#lease));
    const claimingMs = this.state === "claiming" ? performance.now() - this.#claimedAt : undefined;
    const event = this.#remember(judgeRenewal(this.#memory, { isHeld, claimingMs }));
    if (event === "claim.overdue") log.warn({ realm: realmId }, "a term did not begin in time; another node may try");
    if (event) await this.step({ type: event });
  }

  async #claimLease(): Promise<void> {
    const { bus, leases, isPreferred, isDraining } = this.#options;
    const holder = await leases.holder(this.#lease);
    const isHeldElsewhere = holder !== undefined && holder !== bus.nodeId;
    // A writer whose lease ran out is not waited for, even if it is still listed among the nodes.
    const lapsed = this.route.writer === bus.nodeId ? undefined : this.route.writer;
    const verdict = this.#remember(
      judgeLease(this.#memory, {
        isHeldElsewhere,
        isClaimUnderWay: this.state !== "following",
        isDraining: isDraining(),
        isPreferred: !isHeldElsewhere && isPreferred(lapsed),
      }),
    );
    if (verdict === "follow") this.route.setWriter(holder);
    if (verdict === "claim" && (await this.#holdLease())) await this.step({ type: "lease.granted" });
  }

  /** While no lease can be asked for, PostgreSQL names the writer, which is asked whether it lives. */
  async #checkTerm(): Promise<void> {
    const { bus, member, isDraining, liveness, realmId } = this.#options;
    await member.catchUp();
    const term = await member.term();
    if (this.state !== "following" || this.#acting > 0) return;
    const other = otherNodeIn(term, bus.nodeId);
    if (other) this.route.setWriter(other);
    const verdict = this.#remember(
      judgeTerm(this.#memory, {
        term,
        nodeId: bus.nodeId,
        isDisowned: other ? liveness.disowns(other, realmId) : false,
        isGone: other ? liveness.isGone(other) : false,
        isDraining: isDraining(),
      }),
    );
    if (other) liveness.probe(other);
    if (verdict === "claim") await this.step({ type: "term.vacant" });
  }

  #remember<Verdict>({ verdict, memory }: Judged<Verdict>): Verdict {
    this.#memory = memory;
    return verdict;
  }

  #holdLease(): Promise<boolean> {
    return this.#options.leases.hold(this.#lease, this.#options.leaseMs);
  }
}

function resolvable(): { promise: Promise<void>; resolve(): void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
