/**
 * How the nodes that serve a realm agree on its writer and share its log. `actors/cluster/` implements it.
 */

import type { NodeInfo } from "../../storage/cluster/bus.ts";
import type { LogPosition, RealmId } from "../../storage/ids.ts";
import type { LogRow, NewestTerm } from "../../storage/realm-log.ts";
import type { Caller } from "./caller.ts";
import type { Origin } from "./commit/audit.ts";
import type { Entry } from "./entry.ts";

/** A command on its way to the writer, for a caller who may act. */
export interface ForwardedCommand {
  name: string;
  args: unknown;
  /** Undefined: for the server itself. */
  by: Caller | undefined;
  /**
   * The newest position that the forwarding node had applied. Its caller may know everything up to there, so a writer
   * that knows less decides nothing. Absent: that node runs an older build.
   */
  seen?: LogPosition;
  /** For the audit log. Absent: the server itself, or that node runs an older build. */
  from?: Origin | undefined;
}

/** What a cluster asks and tells a realm on this node. */
export interface Member {
  /**
   * The lease is this node's: begin a term. Resolves when the realm writes.
   * @param after only if the term of this epoch is still the newest
   */
  beginTerm(after?: number): Promise<void>;
  /** The newest term, as PostgreSQL knows it. */
  term(): Promise<NewestTerm>;
  /** The lease is lost: stop writing. Resolves when the last commit has ended. */
  endTerm(): Promise<void>;
  /**
   * Entries from the writer: in order, none left out, perhaps some already applied.
   * @param areMarked they say whether they are stored
   * @param timeline of the PostgreSQL that stored them, as far as it tells
   */
  entries(rows: readonly LogRow[], areMarked: boolean, timeline: number | undefined): void;
  /** Of the PostgreSQL that this replica was read from, as far as it tells. */
  timeline(): number | undefined;
  /** Nothing that is stored is missing up to here. */
  advance(position: LogPosition): void;
  /** Reads what is missing from PostgreSQL. */
  catchUp(): Promise<void>;
  /** Another node has revived this queue. */
  claimed(queueId: string, claim: number): void;
  /** The newest position applied here. */
  position(): LogPosition;
  /** Queues that this node holds. */
  queueCount(): number;
  /**
   * Runs a command forwarded from another node.
   * @throws NotBegun when this node does not write, or knows less than that one; ApiError for this caller
   */
  execute(command: ForwardedCommand): Promise<{ reply: unknown; position: LogPosition }>;
  /** Publishes an event forwarded from another node. */
  publish(entry: Entry): void;
}

/** How far a replica is behind its writer. */
export interface Lag {
  /** Log positions. */
  positions: number;
  /** Time from a commit to its arrival here. While the replica is behind: the time since it fell behind. */
  ms: number;
}

/** A realm's place in the cluster while it is loaded on this node. */
export interface Membership {
  /**
   * Tells the other nodes what was committed after `previous`. Called in order; never waits.
   * @param traces spans of the commit
   */
  publish(previous: LogPosition, rows: readonly LogRow[], traces: readonly string[]): void;
  /** Tells the other nodes that this one has revived a queue. Of two claims the higher one wins. */
  claim(queueId: string, claim: number): void;
  /** Hands an event that is not stored to the writer. */
  publishEphemeral(entry: Entry): void;
  /**
   * Has the writer run a command, at most once.
   * @throws NotBegun when it was certainly not begun; SERVICE_UNAVAILABLE when the outcome is unknown
   */
  forward(command: ForwardedCommand, deadlineMs: number): Promise<{ reply: unknown; position: LogPosition }>;
  lag(): Lag;
  /** For how long no writer has been known, so that no change can be forwarded. 0: one is known. */
  writerlessMs(): number;
  /** PostgreSQL said that another node has begun a term. */
  fenced(): void;
  /** Leaves; gives the lease back. */
  release(): Promise<void>;
}

export interface Coordination {
  /** What the other nodes call this one. Undefined where there are none. */
  readonly nodeId: string | undefined;
  /** When this server, whatever its nodes, began to serve: UNIX seconds, the same on all nodes that are up. */
  readonly generation: number;
  /**
   * The current place in the realm's stream. Pass it to `join` once a state at least as new has been loaded. `told` is
   * the newest position there, of which clients may know. 0: it has none, or nobody can be asked.
   */
  streamEnd(realmId: RealmId): Promise<{ place: string; told: LogPosition }>;
  /** Commands forwarded to other nodes and not answered yet. */
  readonly forwardsUnderWay: number;
  /** Whether streams bring logs soon, as far as is known. If not, logs are read from PostgreSQL. */
  readonly hasStreams: boolean;
  /** Takes part. Resolves when it is known whether this node writes. */
  join(realmId: RealmId, place: string, member: Member): Promise<Membership>;
  /** The nodes that are up, for operators. Empty when this process is the whole server. */
  nodes(): Promise<NodeInfo[]>;
  /** Sets what loads a realm when another node wants this one to write it. */
  onRequest(activate: (realmId: RealmId) => void): void;
  /** Before a node stops: it stops writing, and tells the others. */
  drain(): Promise<void>;
  close(): Promise<void>;
}
