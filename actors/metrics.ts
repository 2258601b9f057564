/** What the actors count; `http/process/metrics/metrics.ts` turns it into Prometheus series. */
export interface Metrics {
  /** Events written to clients. */
  delivered(events: number): void;
  /** A batch was committed: how many commands shared it, and how long PostgreSQL took. */
  commit(commands: number, seconds: number): void;
  /** Events of a batch were written to this node's clients, so many seconds after their commit. */
  deliveredAfter(seconds: number): void;
  /** Redis took a batch for the other nodes, after so long; or did not take it. */
  published(seconds: number): void;
  notPublished(): void;
  queueCollected(): void;
  queueRevived(): void;
  /** A writer's commit was refused: another node had begun a term. */
  fenced(): void;
  /** A writer failed, and its realm was checked against PostgreSQL. */
  writerFailed(): void;
  /** A forwarded command ended: its outcome, and after how long. */
  forwarded(outcome: ForwardOutcome, seconds: number): void;
  /** Something in Redis was not from a node of this installation, and was ignored. */
  refused(what: string): void;
}

/** `unknown`: nobody can say whether it was done. `notBegun`: certainly not done, and perhaps tried again. */
export type ForwardOutcome = "done" | "refused" | "notBegun" | "unknown";
