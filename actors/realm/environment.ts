/** What a node gives to every realm that it serves. */
import type { Database } from "../../storage/postgres.ts";
import type { Coordination, Logger } from "../cluster/coordination.ts";
import type { LinkPreviewer } from "../messages/wanted-previews.ts";
import type { Metrics } from "../metrics.ts";
import type { RecentLimits } from "./recent.ts";

export interface RealmEnvironment {
  database: Database;
  coordination: Coordination;
  metrics: Metrics;
  log: Logger;
  /** UNIX seconds */
  clock(): number;
  /** Seconds that only go forward, for time-outs; about `clock` as long as nobody sets that. */
  steady(): number;
  /** Since when this node has served by a clock that was not set meanwhile: by `clock`, UNIX seconds. */
  steadySince(): number;
  /** Presence is shown only of people the viewer may access. */
  limitsPresence: boolean;
  /** This process answers reads, and for a moment at a time without asking whether it still writes. */
  servesReads: boolean;
  /** Channels may be web-public, where their organization lets spectators in. */
  webPublicChannels: boolean;
  /** Domain of the addresses that the server makes up; undefined: each organization's host, if that is one of mail. */
  botDomain: string | undefined;
  /** Absolute address of a realm, from the host it answers to. */
  urlOf(host: string | null): string;
  /** Reads pages that messages link to; undefined: nobody does. */
  linkPreviewer?: LinkPreviewer | undefined;
  limits: RealmLimits;
}

export interface RealmLimits {
  maxBacklogEvents: number;
  maxBacklogBytes: number;
  /** Log entries each realm keeps in memory, and bytes of their JSON. */
  recent: RecentLimits;
  /** How long a request waits for a writer before it is told 503. */
  commandDeadlineMs: number;
  /** A live queue that was not polled for this long gives its memory back. */
  idleAfterSecs: number;
  /** Queues that one account may have. */
  maxQueuesPerUser: number;
  /** A realm without queues and requests for this long becomes idle, and after as long again is passivated. */
  realmIdleAfterSecs: number;
}
