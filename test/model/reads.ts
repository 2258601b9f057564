/** Reads, time, and the clocks by which queues are collected. */
import type { Moment } from "../../actors/realm/read-lease.ts";
import { flushSlackSecs } from "../../storage/event-queues.ts";
import { fenced } from "./commits.ts";
import { endOf, hostOf } from "./postgres.ts";
import { endRead } from "./promises.ts";
import { catchUp, isLoaded } from "./replica.ts";
import type { Rules } from "./rules.ts";
import { type Node, now, type State, startedAt, upSecs } from "./state.ts";

/** One step of time: longer than a commit may take to count as slow, half of a read lease and more. */
export const tickMs = 150;
const oldMs = 3 * tickMs;
/** A queue that is polled all the time. */
const idleSecs = 600;

export function beginRead(s: State, node: Node, rules: Rules): void {
  const told = s.told.filter(({ position }) => position > 0).map(({ request }) => request);
  const { term, confirmedAt, commit } = node;
  const isLeased = term !== null && confirmedAt !== null && rules.holdsLease(confirmedAt, now);
  const awaited = rules.judgeRead(isLeased, commit?.isSlow === true);
  if (awaited === "nothing") endRead(s, node, told);
  else
    node.read = {
      told,
      askedAt: now,
      to: node.host,
      answer: null,
      hasWaited: false,
      waitsForCommit: awaited === "commit",
    };
}

export function answerRead(s: State, node: Node): void {
  const host = hostOf(s, node)!;
  node.read!.answer = { position: endOf(host), epoch: host.row.epoch };
}

/** PostgreSQL has told the log's end. */
export function takeReadAnswer(s: State, node: Node, rules: Rules): void {
  const { told, askedAt, answer } = node.read!;
  const { position, epoch } = answer!;
  node.read = null;
  if (node.term && epoch === node.term.epoch) node.confirmedAt = askedAt;
  else if (node.term && epoch > node.term.epoch) fenced(s, node, rules);
  if (!isLoaded(node)) return;
  if (position > node.replica.position) catchUp(node, hostOf(s, node)!);
  endRead(s, node, told);
}

/** Time passes for all. */
export function tick(s: State): void {
  for (const node of s.nodes) {
    if (node.confirmedAt) node.confirmedAt = earlier(node.confirmedAt);
    if (node.read)
      node.read = { ...node.read, askedAt: earlier(node.read.askedAt), hasWaited: node.read.answer !== null };
    if (node.claim && node.claim.waits > 0) node.claim.waits--;
    if (node.commit) Object.assign(node.commit, { isSlow: true, sentAt: earlier(node.commit.sentAt) });
  }
}

const earlier = ({ monotonicMs, wallMs }: Moment): Moment => ({
  monotonicMs: Math.max(monotonicMs - tickMs, -oldMs),
  // A clock that was set is far away, before or after.
  wallMs: Math.abs(wallMs) > 10 * oldMs ? wallMs : Math.max(wallMs - tickMs, -oldMs),
});

/** Whether something waits for time to pass. */
export const isTimed = (s: State, rules: Rules): boolean =>
  s.nodes.some(
    (node) =>
      (node.confirmedAt !== null && rules.holdsLease(node.confirmedAt, now)) ||
      (node.claim?.begun && node.claim.waits > 0) ||
      (node.read?.answer && !node.read.hasWaited),
  );

/** Somebody sets a node's clock. What it remembers as a moment is as much earlier or later by it. */
export function setClock(node: Node, aheadSecs: number): void {
  const byMs = (node.ahead - aheadSecs) * 1000;
  const shifted = (moment: Moment): Moment => ({ ...moment, wallMs: moment.wallMs + byMs });
  if (node.confirmedAt) node.confirmedAt = shifted(node.confirmedAt);
  if (node.read) node.read = { ...node.read, askedAt: shifted(node.read.askedAt) };
  if (node.commit) node.commit.sentAt = shifted(node.commit.sentAt);
  node.ahead = aheadSecs;
}

function look(node: Node, rules: Rules): { now: number; since: number } {
  const wall = startedAt + node.ahead;
  node.run = rules.runOf(node.run, wall, upSecs);
  return { now: wall, since: node.run.since };
}

export function beginKeeping(node: Node, rules: Rules): void {
  node.keeping = look(node, rules);
}

/** Housekeeping has waited for PostgreSQL, and deletes the queues that nobody polls. */
export function endKeeping(s: State, node: Node, rules: Rules): void {
  const [begun, present] = [node.keeping!, look(node, rules)];
  node.keeping = null;
  const clockOf = (at: typeof begun) => ({ clock: () => at.now, steadySince: () => at.since });
  const reading = rules.readClock(clockOf(present), clockOf(begun));
  const row = { seen_at: s.queueSeenAt!, idle_timeout_secs: idleSecs };
  if (rules.unpolledSecs(row, reading) > idleSecs + flushSlackSecs) s.queueSeenAt = null;
}

/** Its client has polled, and the row says so. */
export function saveQueue(s: State, { ahead }: Node): void {
  if (s.queueSeenAt !== null) s.queueSeenAt = Math.max(s.queueSeenAt, startedAt + ahead);
}
