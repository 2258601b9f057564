/** What the actors count; `http/metrics.ts` turns it into Prometheus series. */
export interface Metrics {
  /** Events written to clients. */
  delivered(events: number): void;
  /** A batch was committed: how many commands shared it, and how long PostgreSQL took. */
  commit(commands: number, seconds: number): void;
  queueCollected(): void;
  queueRevived(): void;
  /** A writer lost its term, or failed. */
  fenced(): void;
}
