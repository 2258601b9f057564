/** A realm as requests and jobs see it. They also change it. */

import { AbortableDatabase } from "../../storage/abortable.ts";
import type { LogPosition } from "../../storage/ids.ts";
import { timely } from "../../storage/timely.ts";
import type { ArgsOf, CommandName, ReplyOf } from "./command.ts";
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
   */
  execute<N extends CommandName>(name: N, args: ArgsOf<N>): Promise<ReplyOf<N>>;
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

/** A realm for one read. It is the same, but its queries can be ended. */
export class RequestRealm implements ServedRealm {
  readonly database: AbortableDatabase;

  constructor(private readonly whole: ServedRealm) {
    this.database = new AbortableDatabase(whole.database);
  }

  /** Nobody waits for the read any more. */
  abort(): void {
    this.database.abort();
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
  execute<N extends CommandName>(name: N, args: ArgsOf<N>): Promise<ReplyOf<N>> {
    return this.whole.execute(name, args);
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

/**
 * The outcome of a read. PostgreSQL ends a read that takes long. @throws Overdue when PostgreSQL does not even say so
 */
export const readInTime = <T>({ database }: ServedRealm, ms: number, reading: Promise<T>): Promise<T> =>
  timely(database, ms, reading);
