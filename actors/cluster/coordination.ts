/**
 * How the nodes that serve a realm agree on its writer and share its log. `local.ts` is the one-process form, in which
 * this node always writes.
 */
import type { LogRow } from "../../storage/realm-log.ts";
import type { Entry } from "../realm/entry.ts";

/** What a realm on this node answers to its cluster. */
export interface Member {
  /** The lease is this node's: begin a term. Resolves when the realm writes. */
  won(): Promise<void>;
  /** The lease is gone: stop writing. */
  lost(): void;
  /** Entries from the writer: in order, none left out, perhaps some already applied. */
  entries(rows: readonly LogRow[]): void;
  /** The newest position applied here. */
  position(): number;
  /** Runs a command forwarded from another node. @throws NotBegun when this node does not write */
  execute(name: string, args: unknown): Promise<{ reply: unknown; position: number }>;
  /** Publishes an event forwarded from another node. */
  publish(entry: Entry): void;
}

/** A realm's place in the cluster, as long as it is loaded on this node. */
export interface Seat {
  /** Tells the other nodes what was committed. Called in order; never waits. */
  publish(rows: readonly LogRow[]): void;
  /** Hands an event that is not stored to the writer. */
  publishEphemeral(entry: Entry): void;
  /**
   * Has the writer run a command, at most once.
   * @throws NotBegun when it certainly was not begun; SERVICE_UNAVAILABLE when the outcome is unknown
   */
  forward(name: string, args: unknown, deadlineMs: number): Promise<{ reply: unknown; position: number }>;
  /** Leaves; gives the lease back. */
  release(): Promise<void>;
}

export interface Coordination {
  /** Resolves when the realm has a writer, here or elsewhere. */
  join(realmId: number, member: Member): Promise<Seat>;
}
