/** Prometheus series of this node. What each is called and means stands in docs/monitoring.md too; a test compares. */

import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";
import type { ForwardOutcome, Metrics } from "../../../actors/metrics.ts";
import { RequestTimes } from "./request-times.ts";

/** Who asks again within this time gets the same text: it takes milliseconds to make, longer with many queues. */
const keptMs = 1000;

/** Seconds of what is expected to take milliseconds. */
const shortBuckets = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2];
/** Seconds; 1 is a service level objective's. */
const deliveryBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class HttpMetrics implements Metrics {
  readonly registry = new Registry();
  readonly #requests = new RequestTimes(this.registry);
  #delivered = this.#counter("parley_events_delivered_total", "Events written to clients");
  #deliverySeconds = this.#histogram(
    "parley_delivery_seconds",
    "From a commit to its events' being written to this node's clients, a sample a batch",
    deliveryBuckets,
  );
  #commitCommands = this.#histogram(
    "parley_commit_batch_commands",
    "Commands that shared a commit",
    [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
  );
  #commitSeconds = this.#histogram("parley_commit_seconds", "Time PostgreSQL took for a commit", shortBuckets);
  #publishSeconds = this.#histogram(
    "parley_publish_seconds",
    "Time Redis took for a batch on its way to the other nodes",
    shortBuckets,
  );
  #publishFailures = this.#counter(
    "parley_publish_failures_total",
    "Batches that Redis did not take, so that the other nodes read them from PostgreSQL",
  );
  #beginSeconds = this.#histogram(
    "parley_database_begin_seconds",
    "How long transactions waited for a connection of their pool and its begin",
    deliveryBuckets,
    ["pool"],
  );
  #collected = this.#counter("parley_queues_collected_total", "Event queues that ended");
  #revived = this.#counter("parley_queues_revived_total", "Event queues brought back from their registration");
  #fenced = this.#counter("parley_commits_fenced_total", "Commits refused because another node had begun to write");
  #refused = this.#counter(
    "parley_cluster_refused_total",
    "Messages, batches, values and keys in Redis that no node of this installation has put there",
    ["what"],
  );
  #failed = this.#counter(
    "parley_writer_failures_total",
    "Writers that failed, so that their organization was checked against PostgreSQL",
  );
  #scans = this.#counter(
    "parley_upload_scans_total",
    "Uploads that clamd looked at, by what it said; of failed and away it is asked again",
    ["outcome"],
  );
  #logInsRefused = this.#counter("parley_log_ins_refused_total", "Wrong passwords, codes and API keys", ["by"]);
  #forwards = this.#histogram(
    "parley_forward_seconds",
    "Commands handed to the node that writes, by what became of them; unknown and notBegun are failures",
    [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2, 10],
    ["outcome"],
  );
  #spans = this.#counter(
    "parley_trace_spans_total",
    "Spans that a collector took, or that were dropped: it does not keep up, or refused them",
    ["outcome"],
  );
  /** Counters are incremented when somebody asks, not per answer. */
  #deliveredCount = 0;
  #text: Promise<string> | undefined;
  #madeAt = 0;

  #counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  #histogram(name: string, help: string, buckets: number[], labelNames: string[] = []): Histogram {
    return new Histogram({ name, help, buckets, labelNames, registers: [this.registry] });
  }

  /** @param seconds from its head to its answer */
  request(route: string, method: string, status: number, seconds: number): void {
    this.#requests.note(route, method, status, seconds);
  }

  /** A poll that took the short way. */
  poll(): void {
    this.#requests.poll();
  }

  logInRefused(by: "password" | "api_key"): void {
    this.#logInsRefused.inc({ by });
  }

  spans(outcome: "exported" | "dropped", count: number): void {
    this.#spans.inc({ outcome }, count);
  }

  delivered(events: number): void {
    this.#deliveredCount += events;
  }
  deliveredAfter(seconds: number): void {
    this.#deliverySeconds.observe(seconds);
  }
  commit(commands: number, seconds: number): void {
    this.#commitCommands.observe(commands);
    this.#commitSeconds.observe(seconds);
  }
  published(seconds: number): void {
    this.#publishSeconds.observe(seconds);
  }
  notPublished(): void {
    this.#publishFailures.inc();
  }
  begun(pool: string, seconds: number): void {
    this.#beginSeconds.observe({ pool }, seconds);
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
  scanned(outcome: string): void {
    this.#scans.inc({ outcome });
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
    this.#delivered.inc(this.#deliveredCount);
    this.#deliveredCount = 0;
    return this.registry.metrics();
  }
}
