/**
 * This node's part in a cluster. It announces itself to the others, and is a candidate for the writer of every realm it
 * has loaded. It forwards commands, and makes sure that each realm is written where it should be.
 *
 * Where a realm should be written is decided by rendezvous hashing over the nodes that are up. Every node comes to the
 * same answer without asking, and realms spread evenly. A node that comes or goes moves only its share.
 */
import { createHash } from "node:crypto";
import type { Bus, NodeInfo } from "../../storage/cluster/bus.ts";
import type { Leases } from "../../storage/cluster/lease.ts";
import { CoordinationUnavailable } from "../../storage/cluster/lease.ts";
import type { LogPosition, RealmId } from "../../storage/ids.ts";
import type { Logger } from "../logger.ts";
import type { Metrics } from "../metrics.ts";
import type { Coordination, Member, Membership } from "../realm/coordination.ts";
import type { Tracer } from "../tracing.ts";
import { Candidate } from "./candidate.ts";
import { CommandTaker } from "./command-taker.ts";
import { Forwarding } from "./forwarding.ts";
import { LivenessProbe } from "./liveness-probe.ts";
import type { Batch, NodeMessage } from "./node-messages.ts";

const announceMs = 1000;
const announceTtlMs = 4000;
/** A node is given realms after it has been up for this long. Before that it may be restarting in a loop. */
const settleSecs = 3;

export interface ClusterOptions {
  bus: Bus;
  leases: Leases;
  /** How long a silent node keeps its leases. */
  leaseMs: number;
  log: Logger;
  metrics: Metrics;
  tracer?: Tracer | undefined;
  /** host:pid */
  nodeName: string;
  version: string;
  /** UNIX seconds */
  startedAt: number;
  clock(): number;
}

export class Cluster implements Coordination {
  readonly #options: ClusterOptions;
  readonly #members = new Map<RealmId, { member: Member; candidate: Candidate }>();
  readonly forwarding: Forwarding;
  readonly #commands: CommandTaker;
  readonly #liveness: LivenessProbe;
  #nodes: NodeInfo[] = [];
  /** Where the writer of each realm was when this node last looked. */
  #writerPositions = new Map<RealmId, LogPosition>();
  generation: number;
  #activate: (realmId: RealmId) => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #isDraining = false;

  constructor(options: ClusterOptions) {
    this.#options = options;
    this.generation = options.startedAt;
    this.forwarding = new Forwarding(options.bus, (outcome, seconds) => options.metrics.forwarded(outcome, seconds));
    this.#liveness = new LivenessProbe(options.bus, options.leaseMs);
    this.#commands = new CommandTaker(options.bus, options.log, (realm) => this.#members.get(realm)?.member);
    options.bus.onMessage((from, message) => {
      this.#liveness.sawAlive(from);
      this.#receive(from, message as NodeMessage).catch((error: unknown) =>
        options.log.warn(
          { from, message: (message as NodeMessage).kind, err: error },
          "a message could not be taken in",
        ),
      );
    });
  }

  async start(): Promise<void> {
    await this.#announce();
  }

  get nodeId(): string {
    return this.#options.bus.nodeId;
  }

  get hasStreams(): boolean {
    return this.#options.bus.isConnected;
  }

  onRequest(activate: (realmId: RealmId) => void): void {
    this.#activate = activate;
  }

  async streamEnd(realmId: RealmId): Promise<{ place: string; told: LogPosition }> {
    try {
      const { place, newest } = await this.#options.bus.end(`log:${realmId}`);
      const { previous = 0, rows = [] } = (newest ?? {}) as Partial<Batch>;
      return { place, told: rows.at(-1)?.position ?? previous };
    } catch (error) {
      // The stream may have more by then: entries that are known already are ignored.
      if (error instanceof CoordinationUnavailable) return { place: "0-0", told: 0 };
      throw error;
    }
  }

  async join(realmId: RealmId, place: string, member: Member): Promise<Membership> {
    const { bus, leases, leaseMs, log, metrics, tracer } = this.#options;
    const candidate = new Candidate(
      {
        realmId,
        bus,
        leases,
        leaseMs,
        member,
        log,
        metrics,
        tracer,
        forwarding: this.forwarding,
        isPreferred: (lapsed) => this.#prefers(realmId, lapsed) === bus.nodeId,
        isDraining: () => this.#isDraining,
        liveness: this.#liveness,
        answered: () => this.#commands.answered(),
      },
      place,
    );
    this.#members.set(realmId, { member, candidate });
    await candidate.ready;
    return {
      publish: (previous, rows, traces) => candidate.publish(previous, rows, traces),
      publishEphemeral: (entry) => candidate.publishEphemeral(entry),
      claim: (queueId, claim) => candidate.claim(queueId, claim),
      forward: (command, deadlineMs) => candidate.forward(command, deadlineMs),
      lag: () => candidate.lag(),
      writerlessMs: () => candidate.writerlessMs(),
      fenced: () => candidate.fenced(),
      release: async () => {
        if (this.#members.get(realmId)?.candidate === candidate) this.#members.delete(realmId);
        await candidate.release();
      },
    };
  }

  get forwardsUnderWay(): number {
    return this.forwarding.underWay;
  }

  nodes(): Promise<NodeInfo[]> {
    return this.#options.bus.nodes();
  }

  /** Hands every realm over that this node writes. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    await this.#announce().catch(() => {});
    await Promise.all([...this.#members.values()].map(({ candidate }) => candidate.step({ type: "handover" })));
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await Promise.all([...this.#members.values()].map(({ candidate }) => candidate.release()));
    this.#members.clear();
    await this.#options.bus.close();
  }

  /**
   * The node that should write a realm; this one when no other is known. A node that let its lease run out is left out.
   */
  #prefers(realmId: RealmId, lapsed?: string): string {
    const { bus, clock } = this.#options;
    let best = this.#isDraining ? "" : bus.nodeId;
    let bestScore = this.#isDraining ? "" : score(bus.nodeId, realmId);
    for (const node of this.#nodes) {
      if (node.id === bus.nodeId || node.id === lapsed) continue;
      if (node.state !== "ready" || clock() - node.startedAt < settleSecs) continue;
      const theirs = score(node.id, realmId);
      if (theirs > bestScore) [best, bestScore] = [node.id, theirs];
    }
    return best;
  }

  async #announce(): Promise<void> {
    clearTimeout(this.#timer);
    const { bus, nodeName, version, startedAt } = this.#options;
    try {
      await bus.announce(
        {
          id: bus.nodeId,
          name: nodeName,
          version,
          startedAt,
          state: this.#isDraining ? "draining" : "ready",
          realms: [...this.#members].map(([id, { member, candidate }]) => ({
            id,
            isWriter: candidate.state === "writing",
            position: member.position(),
            lagMs: candidate.lag().ms,
            queues: member.queueCount(),
          })),
        },
        announceTtlMs,
      );
      this.generation = Number(await bus.agree("generation", String(this.generation), announceTtlMs));
      this.#nodes = await bus.nodes();
      this.#placeRealms();
      this.#compareReplicas();
    } finally {
      if (!this.#isDraining) this.#timer = setTimeout(() => void this.#announce().catch(() => {}), announceMs);
    }
  }

  /** Asks the nodes that should write realms of ours to load them. */
  #placeRealms(): void {
    const { bus } = this.#options;
    for (const [realmId, { candidate }] of this.#members) {
      if (candidate.state !== "writing") continue;
      const preferred = this.#prefers(realmId);
      if (preferred !== bus.nodeId && preferred !== "")
        void bus.send(preferred, { kind: "prepare", realm: realmId } satisfies NodeMessage).catch(() => {});
    }
  }

  /**
   * A replica that is behind where its writer was at the last look has missed something. No later entry may come to
   * show it.
   */
  #compareReplicas(): void {
    for (const [realmId, position] of this.#writerPositions) this.#members.get(realmId)?.candidate.overdue(position);
    const written = this.#nodes.flatMap(({ realms }) => realms.filter(({ isWriter }) => isWriter));
    this.#writerPositions = new Map(written.map(({ id, position }) => [id, position]));
    for (const [realmId, position] of this.#writerPositions)
      this.#members.get(realmId)?.candidate.compareWith(position);
  }

  async #receive(from: string, message: NodeMessage): Promise<void> {
    switch (message.kind) {
      case "command":
      case "again":
        return this.#commands.take(from, message);
      case "done":
      case "refused":
        return this.forwarding.receive(message);
      case "publish":
        return this.#members.get(message.realm)?.member.publish(message.entry);
      case "claim":
        return this.#members.get(message.realm)?.member.claimed(message.queueId, message.claim);
      case "prepare": {
        if (this.#isDraining) return;
        const member = this.#members.get(message.realm)?.member;
        if (!member) return this.#activate(message.realm);
        // A node that cannot reach PostgreSQL is not ready.
        await member.catchUp();
        await this.#options.bus
          .send(from, { kind: "ready", realm: message.realm } satisfies NodeMessage)
          .catch(() => false);
        return;
      }
      case "ready": {
        const candidate = this.#members.get(message.realm)?.candidate;
        if (candidate?.state === "writing" && this.#prefers(message.realm) === from)
          await candidate.step({ type: "handover" });
        return;
      }
      case "free":
        // The node that gave it back may be stopping, and has said so.
        this.#nodes = await this.#options.bus.nodes().catch(() => this.#nodes);
        return this.#members.get(message.realm)?.candidate.leaseFreed();
      case "hello":
        await this.#options.bus.send(from, { kind: "here", writes: this.#writes() } satisfies NodeMessage, "answer");
        return;
      case "here":
        return this.#liveness.sawAlive(from, message.writes);
    }
  }

  /** Realms that this node writes, or begins to. */
  #writes(): RealmId[] {
    const isWriting = ({ candidate }: { candidate: Candidate }) =>
      candidate.state === "writing" || candidate.state === "claiming";
    return [...this.#members].filter(([, member]) => isWriting(member)).map(([id]) => id);
  }
}

/** Of the nodes that are up, the one with the greatest should write the realm. */
export function score(nodeId: string, realmId: RealmId): string {
  return createHash("sha1").update(`${nodeId}:${realmId}`).digest("hex");
}
