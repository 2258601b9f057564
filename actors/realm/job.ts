/** What a job is; `actors/jobs.ts` lists them all. */
import type { Sql } from "../../storage/postgres.ts";
import type { JobRealm } from "./served.ts";

export interface Job {
  /** For the log. */
  name: string;
  /** Seconds from one run to the next; the first is when the realm begins to be written here. */
  everySecs: number;
  /**
   * Does what is due, as commands of the realm. Never runs twice at a time; an error is logged and the next run comes
   * at its usual time.
   *
   * @param now UNIX seconds
   */
  run(realm: JobRealm, now: number): Promise<void>;
  /** Ids of the realms for which the job has something to do: one that sleeps is woken for it. */
  findWaiting?(sql: Sql, now: number): Promise<number[]>;
  /** Runs only in realms that `findWaiting` names: one query for all realms of a node, not one for each. */
  onlyWaiting?: true;
  /**
   * When `findWaiting` will name a realm next (UNIX seconds; null: not as things are), so that it need not be asked
   * before; and the types of the events that change it. An item of a realm that this node writes is its own to look
   * after.
   */
  next?: { at(sql: Sql): Promise<number | null>; changedBy: readonly string[] };
}
