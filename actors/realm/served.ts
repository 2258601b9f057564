/** A realm as requests and jobs see it. They also change it. */

import { AbortableDatabase } from "../../storage/abortable.ts";
import type { LogPosition } from "../../storage/ids.ts";
import type { Database } from "../../storage/postgres.ts";
import { timely } from "../../storage/timely.ts";
import type { ArgsOf, CommandName, ReplyOf } from "./command.ts";
import type { Origin } from "./commit/audit.ts";
import type { Lag } from "./coordination.ts";
import type { Entry } from "./entry.ts";
import type { RealmReader } from "./reader.ts";
import type { Turns } from "./turns.ts";

interface Executes {
  /**
   * Has the realm's writer decide and commit a command. Resolves when it is durable and this node has applied it.
   *
   * @throws ApiError the command's refusal; SERVICE_UNAVAILABLE when there was no writer until the deadline, or when
   * nobody can say whether it was done
   * @param from for the audit log
   */
  execute<N extends CommandName>(name: N, args: ArgsOf<N>, from?: Origin): Promise<ReplyOf<N>>;
}

/** The realm of a job. */
export interface JobRealm extends RealmReader, Executes {}

/** The realm of a request. */
export interface ServedRealm extends RealmReader, Executes {
  /** The newest log position that this node has applied. */
  readonly position: LogPosition;
  /** Registers take turns on the event loop. */
  readonly turns: Turns;
  /** Resolves when reads of state that is not stored (presence) miss nothing. Undefined: nobody has to be asked. */
  currentUnstored(): Promise<unknown> | undefined;
  /** Resolves when this node has applied whatever the log holds up to `position`. */
  reached(position: LogPosition): Promise<void>;
  /** Publishes an event that is not stored, in order with the others. */
  publish(entry: Entry): void;
  /** Reads what another process may have added to the log without publishing it. */
  refresh(): Promise<void>;
  /** How far this replica is behind its writer, as far as is known. */
  lag(): Lag;
}

/** A realm for one request: the audit log is told from where comes what it has done. */
export class RequestRealm implements ServedRealm {
  constructor(
    protected readonly whole: ServedRealm,
    private readonly origin: () => Origin,
  ) {}

  get database(): Database {
    return this.whole.database;
  }
  get id() {
    return this.whole.id;
  }
  get state() {
    return this.whole.state;
  }
  get environment() {
    return this.whole.environment;
  }
  get memories() {
    return this.whole.memories;
  }
  get position() {
    return this.whole.position;
  }
  get turns() {
    return this.whole.turns;
  }
  currentUnstored(): Promise<unknown> | undefined {
    return this.whole.currentUnstored();
  }
  reached(position: LogPosition): Promise<void> {
    return this.whole.reached(position);
  }
  execute<N extends CommandName>(name: N, args: ArgsOf<N>, from = this.origin()): Promise<ReplyOf<N>> {
    return this.whole.execute(name, args, from);
  }
  publish(entry: Entry): void {
    this.whole.publish(entry);
  }
  refresh(): Promise<void> {
    return this.whole.refresh();
  }
  lag(): Lag {
    return this.whole.lag();
  }
}

/** A realm for one read: its queries can be ended. */
export class ReadRealm extends RequestRealm {
  readonly #abortable: AbortableDatabase;

  constructor(whole: ServedRealm, origin: () => Origin) {
    super(whole, origin);
    this.#abortable = new AbortableDatabase(whole.database);
  }

  override get database(): Database {
    return this.#abortable;
  }

  /** Nobody waits for the read any more. */
  abort(): void {
    this.#abortable.abort();
  }
}

/**
 * The outcome of a read. PostgreSQL ends a read that takes long. @throws Overdue when PostgreSQL does not even say so
 */
export const readInTime = <T>({ database }: ServedRealm, ms: number, reading: Promise<T>): Promise<T> =>
  timely(database, ms, reading);
