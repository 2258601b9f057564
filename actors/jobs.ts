/**
 * What a realm does by the clock, without a request: one line per job. `JobRunner` starts them, on the node that writes
 * the realm and nowhere else.
 */
import type { Sql } from "../storage/postgres.ts";
import { channelActivityJob } from "./channels/activity.ts";
import { expireInvitationsJob } from "./invitations/invitations.ts";
import { retentionJob } from "./messages/retention.ts";
import type { RealmActor } from "./realm/realm.ts";
import { restartJob } from "./realm/restart.ts";
import { deliverScheduledJob } from "./scheduled/messages.ts";

export interface Job {
  /** For the log. */
  name: string;
  /** Seconds from one run to the next; the first is when the realm begins to be written here. */
  everySecs: number;
  /**
   * Does what is due, as commands of the realm. Never runs twice at a time; an error is logged and the next run comes at
   * its usual time.
   *
   * @param now UNIX seconds
   */
  run(realm: RealmActor, now: number): Promise<void>;
  /** Ids of the realms for which the job has something to do: one that sleeps is woken for it. */
  findWaiting?(sql: Sql, now: number): Promise<number[]>;
  /** Runs only in realms that `findWaiting` names: one query for all realms of a node, not one for each. */
  onlyWaiting?: true;
}

export const jobs: readonly Job[] = [
  restartJob,
  deliverScheduledJob,
  retentionJob,
  channelActivityJob,
  expireInvitationsJob,
];
