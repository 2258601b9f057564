import type { LogPosition } from "../../storage/ids.ts";
import type { Entry } from "../realm/entry.ts";
import type { LoggedRealm } from "./backlog.ts";

/** The realm that the queues belong to. */
export interface QueuedRealm extends LoggedRealm {
  /** The newest log position applied here. */
  readonly position: LogPosition;
  /** Whether a client may have been told of an event at this position, by any node. */
  mayBeDelivered(position: LogPosition): Promise<boolean>;
  /** Publishes an event that is not stored. */
  publish(entry: Entry): void;
  /** Says that a queue came back here. The node that held it lets it go. */
  claim(queueId: string, claim: number): void;
}
