/** A realm as requests and jobs see it, which also change it. */

import type { Lag } from "../cluster/coordination.ts";
import type { ArgsOf, CommandName, ReplyOf } from "../commands.ts";
import type { Entry } from "./entry.ts";
import type { RealmReader, RegisteringRealm } from "./reader.ts";

interface Executes {
  /**
   * Has the realm's writer decide and commit a command. Resolves when it is durable and this node has applied it.
   *
   * @throws ApiError the command's refusal; SERVICE_UNAVAILABLE when there was no writer until the deadline, or when
   * nobody can say whether it was done
   */
  execute<N extends CommandName>(name: N, args: ArgsOf<N>): Promise<ReplyOf<N>>;
}

/** What a job works on. */
export interface JobRealm extends RealmReader, Executes {}

/** What a request works on. */
export interface ServedRealm extends RegisteringRealm, Executes {
  /** Publishes an event that is not stored, in order with the others. */
  publish(entry: Entry): void;
  /** Reads what another process may have added to the log without publishing it. */
  refresh(): Promise<void>;
  /** How far this replica is behind its writer, as far as is known. */
  lag(): Lag;
}
