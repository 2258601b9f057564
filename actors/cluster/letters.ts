/** Messages between nodes. Plain data. */
import type { LogPosition, RealmId } from "../../storage/ids.ts";
import type { LogRow } from "../../storage/realm-log.ts";
import type { Caller } from "../realm/caller.ts";
import type { Entry } from "../realm/entry.ts";

export type Letter =
  /** Run a command, if you write the realm and this caller may act. Undefined: the server itself asks. */
  | { kind: "do"; id: number; realm: RealmId; name: string; args: unknown; by: Caller | undefined }
  | { kind: "done"; id: number; reply: unknown; position: LogPosition }
  /** It was refused, or `error` undefined: it was not begun. */
  | {
      kind: "refused";
      id: number;
      error?: { status: number; code: string; message: string; extra: Record<string, unknown> };
    }
  /** Publish an event that is not stored. */
  | { kind: "say"; realm: RealmId; entry: Entry }
  /** This node has revived the queue. */
  | { kind: "claim"; realm: RealmId; queueId: string; claim: number }
  /** You should write this realm: load it, and say `ready`. */
  | { kind: "take"; realm: RealmId }
  | { kind: "ready"; realm: RealmId }
  /** Nobody holds the realm's lease any more. */
  | { kind: "free"; realm: RealmId };

/** One batch in a realm's stream. */
export interface Batch {
  from: string;
  /** The position before its first entry. A reader that is behind it has missed something. */
  previous: LogPosition;
  /** When it was committed, by the writer's clock: UNIX milliseconds. */
  at: number;
  rows: LogRow[];
}
