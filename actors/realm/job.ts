/** What a job is; `actors/nouns.ts` lists the nouns that have some. */
import type { RealmId } from "../../storage/ids.ts";
import type { Sql } from "../../storage/postgres.ts";
import type { RealmEnvironment } from "./environment.ts";
import type { JobRealm } from "./served.ts";

export interface Job {
  /** For the log. */
  name: string;
  /** Seconds from one run to the next. The first run is when this node becomes the realm's writer. */
  everySecs: number;
  /** Whether this server has any use for it; without this it has. */
  isOn?(environment: RealmEnvironment): boolean;
  /**
   * Does what is due, by commands of the realm. Two runs never overlap. An error is logged, and the next run comes at
   * its usual time.
   *
   * @param now UNIX seconds
   */
  run(realm: JobRealm, now: number): Promise<void>;
  /** Ids of the realms in which the job has something to do. A passivated realm is loaded for it. */
  findWaiting?(sql: Sql, now: number): Promise<number[]>;
  /**
   * Ids of the passivated realms to load, where something outside PostgreSQL tells it. It is asked every `everySecs`,
   * by each node of those that sleep there.
   */
  findAsleep?(environment: RealmEnvironment, asleep: readonly RealmId[]): Promise<RealmId[]>;
  /** Runs only in realms that `findWaiting` names: one query for all realms of a node instead of one for each. */
  onlyWaiting?: true;
  /**
   * When `findWaiting` will name a realm next, in UNIX seconds, so that it is not asked before. Null: never, as things
   * are. `changedBy` are the types of the events that change the answer. A realm that this node writes looks after its
   * own items.
   */
  next?: { at(sql: Sql, now: number): Promise<number | null>; changedBy: readonly string[] };
}
