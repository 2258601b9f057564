/** Prometheus series of this node. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Metrics } from "../actors/metrics.ts";
import type { ActorSystem } from "../actors/system.ts";

export class HttpMetrics implements Metrics {
  readonly registry = new Registry();
  #requests: Counter;
  #delivered: Counter;
  #commitCommands: Histogram;
  #commitSeconds: Histogram;
  #collected: Counter;
  #revived: Counter;
  #fenced: Counter;
  /** Counters are incremented once a second from these, not per request: looking a label up costs more than a poll. */
  readonly #requestCounts = new Map<string, Map<number, number>>();
  #deliveredCount = 0;
  #pollCount = 0;

  constructor() {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
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
      name: "parley_writer_failures_total",
      help: "Writers that were fenced or failed",
      registers,
    });
  }

  /** Adds the series that are read from the actors when somebody asks. */
  observe(system: ActorSystem): void {
    const registers = [this.registry];
    const sum = (read: (realm: ReturnType<ActorSystem["realms"]>[number]) => number) =>
      system.realms().reduce((total, realm) => total + read(realm), 0);
    new Gauge({
      name: "parley_queues_live",
      help: "Event queues that are polled",
      registers,
      collect() {
        this.set(sum((realm) => realm.queues.census().live));
      },
    });
    new Gauge({
      name: "parley_queues_idle",
      help: "Event queues that nobody polls",
      registers,
      collect() {
        this.set(sum((realm) => realm.queues.census().idle));
      },
    });
    new Gauge({
      name: "parley_polls_parked",
      help: "Polls that wait",
      registers,
      collect() {
        this.set(sum((realm) => realm.queues.census().parked));
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

  /** The exposition text. */
  async text(): Promise<string> {
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
