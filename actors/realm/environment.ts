/** What a node gives to every realm that it serves. A noun adds what it needs of the node beside it. */
import type { Database } from "../../storage/postgres.ts";
import type { Logger } from "../logger.ts";
import type { Metrics } from "../metrics.ts";
import type { Tracer } from "../tracing.ts";
import type { Coordination } from "./coordination.ts";
import type { RecentLimits } from "./recent.ts";
import type { ServerChoices } from "./state/state.ts";

export interface RealmEnvironment extends ServerChoices {
  database: Database;
  coordination: Coordination;
  metrics: Metrics;
  /** Undefined: nothing is traced. */
  tracer?: Tracer | undefined;
  log: Logger;
  /** UNIX seconds */
  clock(): number;
  /** Seconds of a clock that only goes forward, for time-outs. About equal to `clock` until somebody sets the clock. */
  steady(): number;
  /** Since when this node has served without its clock being set: UNIX seconds of `clock`. */
  steadySince(): number;
  /** Presence is shown only of people the viewer may access. */
  limitsPresence: boolean;
  /**
   * This process answers reads. A writer with a read lease answers them without asking PostgreSQL; see `read-lease.ts`.
   */
  servesReads: boolean;
  /** The server has other organizations than its database knows of: a lone one does not answer to any host. */
  hasNeighbours?: boolean | undefined;
  /** Absolute address of a realm, from the host it answers to. */
  urlOf(host: string | null): string;
  limits: RealmLimits;
}

export interface RealmLimits {
  maxBacklogEvents: number;
  maxBacklogBytes: number;
  /** Log entries each realm keeps in memory, and bytes of their JSON. */
  recent: RecentLimits;
  /** How long a request waits for a writer before it is answered 503. */
  commandDeadlineMs: number;
  /** A live queue that was not polled for this long gives its memory back. */
  idleAfterSecs: number;
  /** Queues that one account may have. */
  maxQueuesPerUser: number;
  /** A realm without queues and requests for this long becomes idle, and after as long again is passivated. */
  realmIdleAfterSecs: number;
}
