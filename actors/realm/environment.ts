/** What a node gives to every realm that it serves. */
import type { Database } from "../../storage/postgres.ts";
import type { CallServices } from "../calls/services.ts";
import type { Logger } from "../logger.ts";
import type { ExternalContent } from "../markdown/rendering.ts";
import type { LinkPreviewer } from "../messages/wanted-previews.ts";
import type { Metrics } from "../metrics.ts";
import type { ReadNews } from "../notifications/read-news.ts";
import type { AddressRule } from "../outbound/allowed-addresses.mjs";
import type { Coordination } from "./coordination.ts";
import type { RecentLimits } from "./recent.ts";

export interface RealmEnvironment {
  database: Database;
  coordination: Coordination;
  metrics: Metrics;
  log: Logger;
  /** UNIX seconds */
  clock(): number;
  /** Seconds of a clock that only goes forward, for time-outs. About equal to `clock` until somebody sets the clock. */
  steady(): number;
  /** Since when this node has served without its clock being set: UNIX seconds of `clock`. */
  steadySince(): number;
  /** Presence is shown only of people the viewer may access. */
  limitsPresence: boolean;
  /** This process answers reads. As a sure writer it answers them without asking PostgreSQL; see `read-lease.ts`. */
  servesReads: boolean;
  /** Channels may be web-public, where their organization lets spectators in. */
  webPublicChannels: boolean;
  /** Domain of the addresses that the server makes up. Undefined: each organization's host, where mail can have it. */
  botDomain: string | undefined;
  /** Welcome Bot writes to whoever joins, who finds the newest messages of the default channels unread. */
  welcomesNewcomers: boolean;
  /** Which addresses are asked on somebody's behalf. */
  mayAsk: AddressRule;
  /** Where people hold video calls. */
  callServices: CallServices;
  /** A mail server is configured: emails are queued, and sent by some node. */
  sendsEmail: boolean;
  /** Where notifications for phones go; undefined: nowhere. */
  relay?: { readonly url: string; readonly readNews: ReadNews } | undefined;
  /** Absolute address of a realm, from the host it answers to. */
  urlOf(host: string | null): string;
  /** Where readers fetch pictures and films of other sites; undefined: messages show none. */
  externalContent?: ExternalContent | undefined;
  /** Reads pages that messages link to; undefined: nobody does. */
  linkPreviewer?: LinkPreviewer | undefined;
  /** Where uploads and the like are; undefined: this process keeps none, and writes no exports. */
  storedFiles?: StoredFiles | undefined;
  limits: RealmLimits;
}

/** Where the bytes of uploads, pictures and exports are. */
export interface StoredFiles {
  dataDir: string;
  /** Where those of an upload are, below it. */
  storedUpload(pathId: string): string;
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
