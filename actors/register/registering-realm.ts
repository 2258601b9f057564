/** A realm as a register reads it. */
import type { LogPosition } from "../../storage/ids.ts";
import type { EventQueues } from "../event-queue/event-queues.ts";
import type { RealmReader } from "../realm/reader.ts";
import type { Turns } from "../realm/turns.ts";
import type { SharedParts } from "./shared-parts.ts";

/** What a register needs besides the replica and PostgreSQL. */
export interface RegisteringRealm extends RealmReader {
  /** The newest log position that this node has applied. */
  readonly position: LogPosition;
  readonly queues: EventQueues;
  /** What a register tells everybody alike. */
  readonly sharedParts: SharedParts;
  /** Registers take turns on the event loop. */
  readonly turns: Turns;
  /** Resolves when reads of state that is not stored (presence) miss nothing. Undefined: nobody has to be asked. */
  currentUnstored(): Promise<unknown> | undefined;
  /** Resolves when this node has applied whatever the log holds up to `position`. */
  reached(position: LogPosition): Promise<void>;
}
