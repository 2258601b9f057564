/** Prometheus series of this node. */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { eventQueues } from "../../actors/event-queue/memory.ts";
import type { ForwardOutcome, Metrics } from "../../actors/metrics.ts";
import { memoryOf } from "../../actors/realm/memory.ts";
import type { ActorSystem } from "../../actors/system.ts";
import type { LogDestination } from "./log-destination.ts";

/** Who asks again within this time gets the same text: it takes milliseconds to make, longer with many queues. */
const keptMs = 1000;

export class HttpMetrics implements Metrics {
  readonly registry = new Registry();
  #requests: Counter;
  #delivered: Counter;
  #commitCommands: Histogram;
  #commitSeconds: Histogram;
  #collected: Counter;
  #revived: Counter;
  #fenced: Counter;
  #refused: Counter;
  #failed: Counter;
  #forwards: Histogram;
  /** Counters are incremented once a second from these, not per request: looking a label up costs more than a poll. */
  readonly #requestCounts = new Map<string, Map<number, number>>();
  #deliveredCount = 0;
  #pollCount = 0;
  #text: Promise<string> | undefined;
  #madeAt = 0;

  constructor() {
    const registers = [this.registry];
    this.#requests = new Counter({
      name: "parley_http_requests_total",
      help: "Requests by route and status",
      labelNames: ["route", "status"],
      registers,
    });
    this.#delivered = new Counter({
      name: "parley_events_delivered_total",
      help: "Events written to clients",
      registers,
    });
    this.#commitCommands = new Histogram({
      name: "parley_commit_batch_commands",
      help: "Commands that shared a commit",
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
      registers,
    });
    this.#commitSeconds = new Histogram({
      name: "parley_commit_seconds",
      help: "Time PostgreSQL took for a commit",
      buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2],
      registers,
    });
    this.#collected = new Counter({
      name: "parley_queues_collected_total",
      help: "Event queues that ended",
      registers,
    });
    this.#revived = new Counter({
      name: "parley_queues_revived_total",
      help: "Event queues brought back from their registration",
      registers,
    });
    this.#fenced = new Counter({
      name: "parley_commits_fenced_total",
      help: "Commits refused because another node had begun to write",
      registers,
    });
    this.#refused = new Counter({
      name: "parley_cluster_refused_total",
      help: "Messages, batches, values and keys in Redis that no node of this installation has put there",
      labelNames: ["what"],
      registers,
    });
    this.#failed = new Counter({
      name: "parley_writer_failures_total",
      help: "Writers that failed, so that their organization was loaded again",
      registers,
    });
    this.#forwards = new Histogram({
      name: "parley_forward_seconds",
      help: "Commands handed to the node that writes, by what became of them; unknown and notBegun are failures",
      labelNames: ["outcome"],
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2, 10],
      registers,
    });
  }

  /** Adds the series that are read from the actors when somebody asks. */
  observeLog(destination: LogDestination): void {
    new Counter({
      name: "parley_log_lines_dropped_total",
      help: "Lines of the log that could not be written",
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(destination.dropped);
      },
    });
  }

  /** Adds what only the database knows. */
  observeDatabase(database: { readonly refusals: number }): void {
    new Counter({
      name: "parley_database_refused_total",
      help: "Connections closed unused, because a PostgreSQL answered that was replaced",
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(database.refusals);
      },
    });
  }

  observe(system: ActorSystem): void {
    const registers = [this.registry];
    const sum = (read: (realm: ReturnType<ActorSystem["realms"]>[number]) => number) =>
      system.realms().reduce((total, realm) => total + read(realm), 0);
    const queues = (of: "live" | "idle" | "parked" | "streams") =>
      sum((realm) => memoryOf(realm, eventQueues).census()[of]);
    new Gauge({
      name: "parley_queues_live",
      help: "Event queues that are polled",
      registers,
      collect() {
        this.set(queues("live"));
      },
    });
    new Gauge({
      name: "parley_queues_idle",
      help: "Event queues that nobody polls",
      registers,
      collect() {
        this.set(queues("idle"));
      },
    });
    new Gauge({
      name: "parley_polls_parked",
      help: "Polls that wait, and streams that are open",
      registers,
      collect() {
        this.set(queues("parked"));
      },
    });
    new Gauge({
      name: "parley_streams_open",
      help: "Streams of events that are open",
      registers,
      collect() {
        this.set(queues("streams"));
      },
    });
    new Gauge({
      name: "parley_writer_mailbox_depth",
      help: "Commands that wait for a writer",
      registers,
      collect() {
        this.set(sum((realm) => realm.mailboxDepth));
      },
    });
    const lag = () => system.realms().map((realm) => realm.lag());
    new Gauge({
      name: "parley_replica_lag_positions",
      help: "How many places in the log the replica furthest behind is behind its writer, as told once a second",
      registers,
      collect() {
        this.set(Math.max(0, ...lag().map(({ positions }) => positions)));
      },
    });
    new Gauge({
      name: "parley_replica_lag_ms",
      help: "Milliseconds from a commit to its coming here, or since when a replica is behind: the longest of all replicas",
      registers,
      collect() {
        this.set(Math.max(0, ...lag().map(({ ms }) => ms)));
      },
    });
    new Gauge({
      name: "parley_forwards_under_way",
      help: "Commands handed to other nodes that were not answered yet",
      registers,
      collect() {
        this.set(system.environment.coordination.forwardsUnderWay);
      },
    });
    new Gauge({
      name: "parley_realms_loaded",
      help: "Organizations loaded on this node",
      registers,
      collect() {
        this.set(system.realms().length);
      },
    });
    new Gauge({
      name: "parley_realms_written",
      help: "Organizations this node writes",
      registers,
      collect() {
        this.set(sum((realm) => (realm.isWriter ? 1 : 0)));
      },
    });
  }

  request(route: string, status: number): void {
    let byStatus = this.#requestCounts.get(route);
    if (!byStatus) this.#requestCounts.set(route, (byStatus = new Map()));
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  }

  /** A poll that took the short way. */
  poll(): void {
    this.#pollCount++;
  }

  delivered(events: number): void {
    this.#deliveredCount += events;
  }
  commit(commands: number, seconds: number): void {
    this.#commitCommands.observe(commands);
    this.#commitSeconds.observe(seconds);
  }
  queueCollected(): void {
    this.#collected.inc();
  }
  queueRevived(): void {
    this.#revived.inc();
  }
  fenced(): void {
    this.#fenced.inc();
  }
  refused(what: string): void {
    this.#refused.inc({ what });
  }
  writerFailed(): void {
    this.#failed.inc();
  }
  forwarded(outcome: ForwardOutcome, seconds: number): void {
    this.#forwards.observe({ outcome }, seconds);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** The exposition text, at most `keptMs` old. */
  text(): Promise<string> {
    const now = performance.now();
    if (this.#text === undefined || now - this.#madeAt > keptMs) {
      this.#madeAt = now;
      this.#text = this.#makeText(this.#text === undefined);
    }
    return this.#text;
  }

  async #makeText(isFirst: boolean): Promise<string> {
    // How late the event loop is it learns by waking up a hundred times a second: only where somebody asks.
    if (isFirst) collectDefaultMetrics({ register: this.registry });
    for (const [route, byStatus] of this.#requestCounts) {
      for (const [status, count] of byStatus) this.#requests.inc({ route, status: String(status) }, count);
      byStatus.clear();
    }
    this.#requests.inc({ route: "/events", status: "200" }, this.#pollCount);
    this.#pollCount = 0;
    this.#delivered.inc(this.#deliveredCount);
    this.#deliveredCount = 0;
    return this.registry.metrics();
  }
}
