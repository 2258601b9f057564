/** The arguments of one request for events. */
import type { ClientEvent } from "../events.ts";

/** The position in a queue: the newest event that the client has. */
export interface Cursor {
  queueId: string;
  lastEventId: number;
}

export interface Attempt {
  readonly signal: AbortSignal;
  /** The previous request failed. This one should be answered at once, to show whether the server is back. */
  readonly isRetry: boolean;
  /** Called when anything was received. */
  alive(): void;
  /** Called with received events. Known ones are left out. */
  take(events: readonly ClientEvent[]): void;
}
