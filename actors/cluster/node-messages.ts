/** Messages between nodes. Plain data. */
import type { LogPosition, RealmId } from "../../storage/ids.ts";
import type { LogRow } from "../../storage/realm-log.ts";
import type { ForwardedCommand } from "../realm/coordination.ts";
import type { Entry } from "../realm/entry.ts";

/** Asks the writer to run a command. */
export interface CommandMessage extends ForwardedCommand {
  /** `again`: the same command was sent before. It or its answer may have been lost. It is not run twice. */
  kind: "command" | "again";
  id: number;
  realm: RealmId;
}

export type NodeMessage =
  | CommandMessage
  | { kind: "done"; id: number; reply: unknown; position: LogPosition }
  /** The command was refused. `error` undefined: it was not begun. */
  | {
      kind: "refused";
      id: number;
      error?: { status: number; code: string; message: string; extra: Record<string, unknown> };
    }
  /** Asks the writer to publish an event that is not stored. */
  | { kind: "publish"; realm: RealmId; entry: Entry }
  /** This node has revived the queue. */
  | { kind: "claim"; realm: RealmId; queueId: string; claim: number }
  /** Asks a node to load a realm that it should write, and to answer `ready`. */
  | { kind: "prepare"; realm: RealmId }
  | { kind: "ready"; realm: RealmId }
  /** The realm's lease has been given back. */
  | { kind: "free"; realm: RealmId }
  /** Asks a node whether it lives. */
  | { kind: "hello" }
  /** Answers `hello`: the node lives, and writes these realms or begins to. */
  | { kind: "here"; writes: readonly RealmId[] };

/** One batch in a realm's stream. */
export interface Batch {
  from: string;
  /** The position before its first entry. A reader that is behind it has missed something. */
  previous: LogPosition;
  /** When it was committed, by the writer's clock: UNIX milliseconds. */
  at: number;
  rows: LogRow[];
  /** Rows say whether they are stored. Those of nodes of the version before do not. */
  areMarked?: true;
  /** Of the PostgreSQL that stored them. Absent: it does not tell, or the writer runs an older build. */
  timeline?: number;
  /** `traceparent` of each span of its publishing. Absent: it is in no trace, or its writer runs an older build. */
  traces?: string[];
}
