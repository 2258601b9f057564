/** What one request for events is given. */
import type { WireEvent } from "../state/state.ts";

/** Where a queue is: its newest event that the page has. */
export interface Cursor {
  queueId: string;
  lastEventId: number;
}

export interface Attempt {
  readonly signal: AbortSignal;
  /** The one before failed: whether the server is there is to be known at once. */
  readonly isRetry: boolean;
  /** Something came. */
  alive(): void;
  /** Takes events that came: those that are known already are left out. */
  take(events: readonly WireEvent[]): void;
}
