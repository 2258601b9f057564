/**
 * A realm's log between nodes: its writer publishes batches to a stream, and the others follow them. Each batch says
 * what it follows, so a reader notices a gap and fills it from PostgreSQL.
 */
import type { Bus, Following } from "../../storage/cluster/bus.ts";
import type { LogPosition, RealmId } from "../../storage/ids.ts";
import { judgeBatch } from "../../storage/log/promotions.ts";
import type { LogRow } from "../../storage/realm-log.ts";
import type { Logger } from "../logger.ts";
import type { Metrics } from "../metrics.ts";
import type { Lag, Member } from "../realm/coordination.ts";
import { preciseNow, type Tracer } from "../tracing.ts";
import type { Batch } from "./node-messages.ts";

export interface LogStreamOptions {
  realmId: RealmId;
  bus: Bus;
  member: Member;
  log: Logger;
  metrics: Pick<Metrics, "published" | "notPublished" | "deliveredAfter">;
  tracer?: Tracer | undefined;
}

export class LogStream {
  readonly #options: LogStreamOptions;
  readonly #following: Following;
  #received: Promise<void> = Promise.resolve();
  #isStopped = false;
  /** Something was not published to the others: they have to be shown that there is a gap. */
  #hasUnpublished = false;
  /** How long the newest batch took to arrive. */
  #delayMs = 0;
  /** The writer's position as last announced, and since when this replica has been behind it. */
  #writerPosition = 0;
  #behindSince: number | undefined;

  /** @param place where to begin, as `Bus.end` gave it */
  constructor(options: LogStreamOptions, place: string) {
    this.#options = options;
    this.#following = options.bus.follow(this.#name, place, (message) => this.#receive(message as Batch));
  }

  publish(previous: LogPosition, rows: readonly LogRow[], traces: readonly string[]): void {
    this.#append(previous, rows, traces).catch(() => this.noteGap());
  }

  /** The others may not have everything. `showGap` tells them. */
  noteGap(): void {
    this.#hasUnpublished = true;
  }

  /** Tells the others of a gap, if there is one: they read PostgreSQL. @throws CoordinationUnavailable */
  async showGap(): Promise<void> {
    if (!this.#hasUnpublished) return;
    await this.#append(this.#options.member.position(), [], []);
    this.#hasUnpublished = false;
  }

  /** Takes the writer's position. */
  compareWith(position: LogPosition): void {
    this.#writerPosition = position;
    if (this.#options.member.position() >= position) this.#behindSince = undefined;
    else this.#behindSince ??= Date.now();
  }

  /**
   * The writer was at this position a while ago. What the stream has not brought by now it will not bring: Redis forgot
   * it, or the writer could not add it.
   */
  overdue(position: LogPosition): void {
    if (position <= this.#options.member.position()) return;
    this.#received = this.#received.then(() => this.#reach(position)).catch(() => {});
  }

  /** How far this replica is behind the writer. */
  lag(): Lag {
    const positions = Math.max(0, this.#writerPosition - this.#options.member.position());
    return { positions, ms: positions > 0 && this.#behindSince ? Date.now() - this.#behindSince : this.#delayMs };
  }

  /** Nothing more is taken in. */
  stop(): void {
    this.#isStopped = true;
    this.#following.stop();
  }

  get #name(): string {
    return `log:${this.#options.realmId}`;
  }

  #append(previous: LogPosition, rows: readonly LogRow[], traces: readonly string[]): Promise<void> {
    const { bus, member, metrics, tracer } = this.#options;
    const timeline = member.timeline();
    const batch: Batch = {
      ...{ from: bus.nodeId, previous, at: Date.now(), rows: rows as LogRow[], areMarked: true },
      ...(timeline !== undefined && { timeline }),
    };
    const spans = traces.flatMap((trace) => tracer?.within(trace, "publish", "producer") ?? []);
    if (spans.length > 0) batch.traces = spans.map(({ traceparent }) => traceparent);
    const started = performance.now();
    return bus.append(this.#name, batch).then(
      () => {
        metrics.published((performance.now() - started) / 1000);
        for (const span of spans) span.end();
      },
      (error: unknown) => {
        metrics.notPublished();
        for (const span of spans) span.end({}, "Redis did not take it");
        throw error;
      },
    );
  }

  /** Batches are taken one after the other, also when one has to wait for PostgreSQL to fill a gap before it. */
  #receive(batch: Batch): void {
    const { bus, member, log, realmId } = this.#options;
    const receivedAt = preciseNow();
    if (batch.from === bus.nodeId) return;
    // Clocks may differ, but a delay is never negative.
    this.#delayMs = Math.max(0, Date.now() - batch.at);
    this.#received = this.#received.then(async () => {
      try {
        if (judgeBatch(member.timeline(), batch.timeline) === "pass over") return;
        await this.#reach(batch.previous);
        if (this.#isStopped) return;
        member.entries(batch.rows, batch.areMarked === true, batch.timeline);
        // Queues are answered at the end of this tick, before this is called. A batch without rows only shows a gap.
        if (batch.rows.length > 0) setImmediate(() => this.#delivered(batch, receivedAt));
      } catch (error) {
        log.warn({ realm: realmId, err: error }, "the log could not be followed; it is read again soon");
      }
    });
  }

  #delivered({ at, traces = [] }: Batch, receivedAt: number): void {
    const { metrics, tracer } = this.#options;
    metrics.deliveredAfter(Math.max(0, Date.now() - at) / 1000);
    for (const trace of traces) tracer?.within(trace, "deliver", "consumer", receivedAt)?.end();
  }

  /** Makes sure that nothing is missing up to here, unless the realm was dropped meanwhile. */
  async #reach(position: LogPosition): Promise<void> {
    const { member } = this.#options;
    if (this.#isStopped || position <= member.position()) return;
    await member.catchUp();
    if (!this.#isStopped) member.advance(position);
  }
}
