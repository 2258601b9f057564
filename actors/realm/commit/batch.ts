/** A batch is committed together: sends, changes of one kind, or other commands. Each kind stores in its own way. */
import type { Database } from "../../../storage/postgres.ts";
import type { LogRow, WriterTerm } from "../../../storage/realm-log.ts";
import type { LogEntry } from "../entry.ts";
import type { Moment } from "../read-lease.ts";
import type { RealmState } from "../state/state.ts";
import type { StoredRest, Turn } from "../transaction.ts";
import type { AuditedTables } from "./audit.ts";
import type { Commit } from "./in-doubt.ts";
import type { Reserves } from "./reserves.ts";
import type { Waiting } from "./waiting.ts";
import type { Pending } from "./work.ts";

/** Bytes that a commit takes at most: it is one statement, and one message to the other nodes. */
export const maxCommitBytes = 2 * 1024 * 1024;

/** One work of a batch, with what its caller gets once the batch is durable. */
export interface Decided {
  pending: Pending;
  reply: unknown;
  entries: LogEntry[];
  /** The later parts of a long command. */
  turns?: readonly Turn[];
  storedRest?: StoredRest | undefined;
}

/** A batch that failed. */
export interface Failure {
  cause: unknown;
  /**
   * Works that were not decided. They and those decided wait for the fate of the commit. Absent: the batch has told or
   * handed back every one of its works.
   */
  undecided?: readonly Pending[];
}

export interface Batch extends Commit {
  /** Decided works, in the order of their entries. */
  readonly done: readonly Decided[];
  readonly rows: LogRow[];
  /** Whether it stored anything that shows that changes are taken. */
  readonly changes: boolean;
  /**
   * A moment at which PostgreSQL had no newer epoch, once it is stored: its last statements were sent then, and were
   * fenced. Undefined: it asked PostgreSQL for nothing that is.
   */
  readonly fencedAt: Moment | undefined;
  /** Takes works from those that wait, decides, places and stores them. Refusals are told at once. */
  store(): Promise<void>;
  /** Called when `store` threw `error`. */
  failed(error: unknown): Failure;
}

/** What a batch needs of the writer. */
export interface BatchContext {
  readonly database: Database;
  readonly term: WriterTerm;
  readonly state: RealmState;
  readonly audits: AuditedTables;
  readonly reserves: Reserves;
  readonly waiting: Waiting;
  /** UNIX seconds */
  readonly now: number;
  /** @param session that has the fence, once it is known @throws Overdue */
  timely<T>(work: Promise<T>, session?: () => number | undefined): Promise<T>;
}
