/**
 * What decides in the product, as the model calls it: its machines and functions themselves. A known bug is one of them
 * as it was before (`known-bugs.test.ts`).
 */
import { judgeLease, judgeRenewal, judgeTerm } from "../../actors/cluster/claim.ts";
import { stepForward } from "../../actors/cluster/forwarded-command.ts";
import { stepCandidate } from "../../actors/cluster/machine.ts";
import { TakenCommands } from "../../actors/cluster/taken-commands.ts";
import { stepRealm } from "../../actors/realm/machine.ts";
import { holdsLease, judgeRead } from "../../actors/realm/read-lease.ts";
import { runOf } from "../../http/process/steady-clock.ts";
import { ReplayWindow } from "../../storage/cluster/seal.ts";
import { peerState, stepWay } from "../../storage/cluster/way.ts";
import { judge } from "../../storage/connection/generation.ts";
import { type ClockReading, readClock, unpolledSecs } from "../../storage/event-queues.ts";
import { fateOf } from "../../storage/log/commit-fate.ts";
import { nextTerm } from "../../storage/log/next-term.ts";
import { blocksLost, judgeBatch } from "../../storage/log/promotions.ts";

/** A node's clock when it was looked at. */
export interface Clock {
  clock(): number;
  steadySince(): number;
}

/** The same state and event lead to the same step, which a machine takes some 30 µs to find. */
function remembered<State extends string, Event extends { type: string }, Step>(
  step: (state: State, event: Event) => Step,
): (state: State, event: Event) => Step {
  const steps = new Map<string, Step>();
  return (state, event) => {
    const key = `${state} ${JSON.stringify(event)}`;
    const known = steps.get(key) ?? step(state, event);
    steps.set(key, known);
    return known;
  };
}

/** A command as it comes after others: whether it is to be run, and whether it is known. */
function takes(before: readonly { from: string; id: number }[], from: string, id: number): "new" | "known" | "old" {
  const taken = new TakenCommands(() => 0);
  for (const command of before) taken.take(command.from, command.id);
  const outcome = taken.take(from, id);
  return outcome === undefined ? "old" : outcome.isNew ? "new" : "known";
}

/** Whether a message is no copy of one before it. @param last the number of its sender's last one; 0: none */
function accepts(last: number, number: number): boolean {
  const window = new ReplayWindow();
  if (last > 0) window.accepts("peer", last, 0, 0);
  return window.accepts("peer", number, 0, 0);
}

export const product = {
  stepCandidate: remembered(stepCandidate),
  stepRealm: remembered(stepRealm),
  judgeLease,
  judgeRenewal,
  judgeTerm,
  judge,
  nextTerm,
  blocksLost,
  judgeBatch,
  /** Whether a replica is kept whose newest entry the log has, or has not. See `LoadedRealm.isKept`. */
  keeps: ({ isMixed, stored }: { isMixed: boolean; stored: number }, isThere: boolean) =>
    isThere && !isMixed && stored > 0,
  fateOf,
  holdsLease,
  judgeRead,
  stepForward,
  takes,
  accepts,
  peerState,
  stepWay,
  runOf,
  unpolledSecs,
  /** @param _begun the clock as it was when the housekeeping began */
  readClock: (now: Clock, _begun: Clock): ClockReading => readClock(now),
};
export type Rules = typeof product;
