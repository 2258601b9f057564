/**
 * How the nodes of a cluster communicate.
 *
 * Streams carry a realm's log from its writer to its followers. They are bounded, in the order of appending, and read
 * from a place that the reader names. A reader that fell behind the bound, or a store that forgot everything, leaves a
 * gap. Each batch says what it follows, so the reader notices the gap and fills it from PostgreSQL.
 *
 * Messages go to one node or to all, at most once: one may be lost, none comes twice. Those of different senders have
 * no order. A sender that needs an answer sets a deadline.
 */
import type { LogPosition, RealmId } from "../ids.ts";

export interface Bus {
  readonly nodeId: string;
  /** Adds to a stream. @throws CoordinationUnavailable when it may not have been added */
  append(stream: string, message: unknown): Promise<void>;
  /**
   * The place where a stream ends now, and the newest message, if there is one. Whatever is appended later comes after
   * it. @throws CoordinationUnavailable
   */
  end(stream: string): Promise<{ place: string; newest: unknown }>;
  /** Reads a stream from a place that `end` gave. */
  follow(stream: string, from: string, onMessage: (message: unknown) => void): Following;
  /**
   * Sends to one node.
   * @returns false when nobody is there to get it
   * @throws CoordinationUnavailable
   */
  send(nodeId: string, message: unknown, nature?: MessageNature): Promise<boolean>;
  /** Sends to all other nodes. @throws CoordinationUnavailable */
  broadcast(message: unknown): Promise<void>;
  onMessage(handle: (from: string, message: unknown) => void): void;
  /** Announces this node to the others for `ttlMs`. @throws CoordinationUnavailable */
  announce(info: NodeInfo, ttlMs: number): Promise<void>;
  /** Nodes that announced themselves lately, including this one. @throws CoordinationUnavailable */
  nodes(): Promise<NodeInfo[]>;
  /**
   * Agrees with the other nodes on a value: the one agreed on before, else `value`. It is kept for `ttlMs` after the
   * last question. @throws CoordinationUnavailable
   */
  agree(name: string, value: string, ttlMs: number): Promise<string>;
  /** Whether the store answers, and soon, as far as is known. */
  readonly isConnected: boolean;
  close(): Promise<void>;
}

/**
 * The nature of a message decides its ways (`way.ts`). A plain message goes one way. An answer may come late or twice,
 * so it goes a second way when the first is in doubt. A repeat of an earlier message goes every way.
 */
export type MessageNature = "plain" | "answer" | "repeat";

export interface Following {
  stop(): void;
}

export interface NodeInfo {
  id: string;
  /** host:pid, for people */
  name: string;
  /** Of the program. Nodes of before 2026-11-30 do not say it. */
  version?: string;
  /** UNIX seconds */
  startedAt: number;
  state: "ready" | "draining";
  realms: {
    id: RealmId;
    isWriter: boolean;
    position: LogPosition;
    /** Time from the newest entry's commit to its arrival, or for how long this node has been behind. */
    lagMs: number;
    queues: number;
  }[];
}
