/**
 * How the nodes that serve a realm agree on its writer and share its log. `local.ts` is the one-process form, in which
 * this node always writes.
 */

import type { NodeInfo } from "../../storage/cluster/bus.ts";
import type { LogPosition, RealmId } from "../../storage/ids.ts";
import type { LogRow } from "../../storage/realm-log.ts";
import type { Caller } from "../realm/caller.ts";
import type { Entry } from "../realm/entry.ts";

export interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What a realm on this node answers to its cluster. */
export interface Member {
  /**
   * The lease is this node's: begin a term. Resolves when the realm writes.
   * @param onlyVacant unless a node is in one
   */
  won(onlyVacant?: boolean): Promise<void>;
  /** PostgreSQL says that no node is in a term. */
  isVacant(): Promise<boolean>;
  /** The lease is gone: stop writing. Resolves when nothing is being written any more. */
  lost(): Promise<void>;
  /** Entries from the writer: in order, none left out, perhaps some already applied. */
  entries(rows: readonly LogRow[]): void;
  /** Nothing durable is missing up to here. */
  advance(position: LogPosition): void;
  /** Reads what is missing from PostgreSQL. */
  catchUp(): Promise<void>;
  /** Another node has this queue now. */
  claimed(queueId: string, claim: number): void;
  /** The newest position applied here. */
  position(): LogPosition;
  /** Queues that this node holds. */
  queueCount(): number;
  /**
   * Runs a command forwarded from another node.
   * @throws NotBegun when this node does not write; ApiError for this caller
   */
  execute(name: string, args: unknown, by: Caller | undefined): Promise<{ reply: unknown; position: LogPosition }>;
  /** Publishes an event forwarded from another node. */
  publish(entry: Entry): void;
}

/** How far a replica is behind its writer. */
export interface Lag {
  /** Places in the log. */
  positions: number;
  /** From a commit to its coming here; while the replica is behind, for how long it has been. */
  ms: number;
}

/** A realm's place in the cluster, as long as it is loaded on this node. */
export interface Seat {
  /** Tells the other nodes what was committed after `previous`. Called in order; never waits. */
  publish(previous: LogPosition, rows: readonly LogRow[]): void;
  /** Tells the other nodes that this one has a queue now; of two claims the higher one holds. */
  claim(queueId: string, claim: number): void;
  /** Hands an event that is not stored to the writer. */
  publishEphemeral(entry: Entry): void;
  /**
   * Has the writer run a command, at most once.
   * @throws NotBegun when it certainly was not begun; SERVICE_UNAVAILABLE when the outcome is unknown
   */
  forward(
    name: string,
    args: unknown,
    by: Caller | undefined,
    deadlineMs: number,
  ): Promise<{ reply: unknown; position: LogPosition }>;
  lag(): Lag;
  /** PostgreSQL said that another node has begun a term. */
  fenced(): void;
  /** Leaves; gives the lease back. */
  release(): Promise<void>;
}

export interface Coordination {
  /** When this server, of whichever nodes, began to serve: UNIX seconds, the same on all nodes that are up. */
  readonly generation: number;
  /**
   * A place in what the realm's writer tells, to be passed to `join` once the state of this moment or a later one is
   * loaded.
   */
  place(realmId: RealmId): Promise<string>;
  /** Commands handed to other nodes and not answered yet. */
  readonly forwardsUnderWay: number;
  /** For how long the other nodes could not be heard of; 0 where there are none. */
  readonly silentMs: number;
  /** Takes part. Resolves when it is known whether this node writes. */
  join(realmId: RealmId, place: string, member: Member): Promise<Seat>;
  /** Who is up, for people; empty when this process is the whole server. */
  nodes(): Promise<NodeInfo[]>;
  /** Called when realms that other nodes want this one to write have to be loaded. */
  onRequest(activate: (realmId: RealmId) => void): void;
  /** Before a node stops: it writes nothing any more and says so. */
  drain(): Promise<void>;
  close(): Promise<void>;
}
