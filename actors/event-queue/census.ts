/** How many queues of an organization are in each state on this node, for whoever runs it. */
import type { EventQueue } from "./queue.ts";

export interface QueueCensus {
  live: number;
  idle: number;
  parked: number;
  streams: number;
  /** For how long the one was not polled that waits longest. */
  unpolledSecs: number;
  /** Events in the fullest one. */
  backlog: number;
}

/** @param now UNIX seconds of the steady clock */
export function takeCensus(queues: Iterable<EventQueue>, now: number): QueueCensus {
  const census = { live: 0, idle: 0, parked: 0, streams: 0, unpolledSecs: 0, backlog: 0 };
  for (const queue of queues) {
    if (queue.state === "live") census.live++;
    else census.idle++;
    if (queue.parked) census.parked++;
    else census.unpolledSecs = Math.max(census.unpolledSecs, now - queue.seenAt);
    if (queue.parked?.isStream) census.streams++;
    census.backlog = Math.max(census.backlog, queue.backlog.length);
  }
  return census;
}
