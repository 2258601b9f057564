/**
 * What the nodes of a cluster tell each other.
 *
 * Streams carry a realm's log from its writer to its followers: bounded, in the order appended, and read from a place
 * that the reader names. A reader that fell behind the bound, or a store that forgot everything, leaves a gap; each
 * message says what it follows, so that the reader notices and fills it from PostgreSQL.
 *
 * Letters go to one node or to all, at most once and in no particular order between senders: one may be lost, none
 * comes twice. Who needs an answer sets a deadline.
 */
import type { LogPosition, RealmId } from "../ids.ts";

export interface Bus {
  readonly nodeId: string;
  /** Adds to a stream. @throws CoordinationUnavailable when it may not have been added */
  append(stream: string, message: unknown): Promise<void>;
  /** Where a stream ends now: what is appended later comes after it. @throws CoordinationUnavailable */
  end(stream: string): Promise<string>;
  /** Reads a stream on, from a place that `end` told. */
  follow(stream: string, from: string, onMessage: (message: unknown) => void): Following;
  /**
   * Sends to one node.
   * @param isAnswer it does no harm where nobody waits for it any more
   * @returns false when nobody is there to get it
   * @throws CoordinationUnavailable
   */
  send(nodeId: string, letter: unknown, isAnswer?: boolean): Promise<boolean>;
  /** Sends to all other nodes. @throws CoordinationUnavailable */
  broadcast(letter: unknown): Promise<void>;
  onLetter(handle: (from: string, letter: unknown) => void): void;
  /** Shows this node to the others for `ttlMs`. @throws CoordinationUnavailable */
  announce(info: NodeInfo, ttlMs: number): Promise<void>;
  /** Nodes that showed themselves lately, this one too. @throws CoordinationUnavailable */
  nodes(): Promise<NodeInfo[]>;
  /**
   * Agrees with the other nodes on something: what they agreed on before, else `value`. It holds for `ttlMs` after
   * anybody asked last. @throws CoordinationUnavailable
   */
  agree(name: string, value: string, ttlMs: number): Promise<string>;
  /** Whether the store answers, as far as is known. */
  readonly isConnected: boolean;
  close(): Promise<void>;
}

export interface Following {
  stop(): void;
}

export interface NodeInfo {
  id: string;
  /** host:pid, for people */
  name: string;
  /** UNIX seconds */
  startedAt: number;
  state: "ready" | "draining";
  realms: {
    id: RealmId;
    isWriter: boolean;
    position: LogPosition;
    /** How long the newest entry took from its commit to this node, or for how long this node has been behind. */
    lagMs: number;
    queues: number;
  }[];
}
