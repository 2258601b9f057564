/** `parley outgoing`: emails, notifications and webhook calls that wait, and another attempt at those that failed. */
import { findWaiting, type OutgoingQueue, retryNow, type WaitingQueue } from "../../../storage/operations.ts";
import type { AdminResult, Values } from "../admin.ts";
import type { Config } from "../config.ts";
import { withEach } from "../homes/command-storage.ts";
import type { RunningStorage } from "../main.ts";

const queues: readonly OutgoingQueue[] = ["mail", "push", "webhook"];

/** @throws Error when `--retry` names no queue */
export async function listOutgoing(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  if (config.databases === undefined) return outgoingOf(storage, values);
  const away: string[] = [];
  const each = await withEach(
    storage,
    config,
    async (own, name) => ({ name, told: await outgoingOf(own, values) }),
    (name) => away.push(name),
  );
  const lines = each.flatMap(({ name, told }) => [`${name}:`, told.text]);
  return {
    text: [...lines, ...away.map((name) => `${name}: cannot be reached`)].join("\n"),
    data: { databases: Object.fromEntries(each.map(({ name, told }) => [name, told.data])), away },
  };
}

async function outgoingOf({ database: { sql } }: RunningStorage, { retry }: Values): Promise<AdminResult> {
  const now = Math.floor(Date.now() / 1000);
  const queue = queues.find((each) => each === retry);
  if (retry !== undefined && queue === undefined) throw new Error(`--retry must be one of ${queues.join(", ")}.`);
  const retried = queue && (await retryNow(sql, queue, now));
  const waiting = await findWaiting(sql);
  const lines = waiting.map((each) => describeQueue(each, now));
  if (queue) lines.push(`${retried} of ${queue} will be tried again within a minute.`);
  return { text: lines.join("\n"), data: { queues: waiting, ...(queue && { retried }) } };
}

/** @param now UNIX seconds */
export function describeQueue({ queue, waiting, retried, oldest }: WaitingQueue, now: number): string {
  const since = oldest === null ? "" : `, the oldest for ${Math.max(0, now - oldest)} s`;
  return `${queue.padEnd(7)}  ${waiting} waiting, ${retried} after a failure${since}`;
}
