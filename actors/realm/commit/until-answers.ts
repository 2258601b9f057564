/**
 * Waiting for a PostgreSQL that is away. One question at a time is asked for all realms of a process: thousands of them
 * would ask as often as each can, and each would log that it failed.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "../../../storage/postgres.ts";
import { doesAnswer } from "../../../storage/timely.ts";
import { SharedWork } from "../shared-work.ts";

/** Pause after PostgreSQL did not answer. */
const retryMs = 50;
/** A question that takes longer counts as lost. */
const overdueMs = 2000;

const asking = new WeakMap<Database, SharedWork<boolean>>();

/** Resolves when PostgreSQL answers, or at the deadline of `performance.now()`. */
export async function untilAnswers(database: Database, deadline: number): Promise<void> {
  let shared = asking.get(database);
  if (shared === undefined) {
    shared = new SharedWork(() => answers(database));
    asking.set(database, shared);
  }
  while (!(await shared.run()) && performance.now() < deadline);
}

async function answers({ vital }: Database): Promise<boolean> {
  const doesSo = await doesAnswer(vital, overdueMs);
  if (!doesSo) await delay(retryMs);
  return doesSo;
}
