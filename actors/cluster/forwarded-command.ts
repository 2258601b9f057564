/**
 * A command on its way to the writer's node. Pure: it decides, `forwarding.ts` acts.
 *
 * | Rule | In          | Event          | When                                           | Does     | Then     |
 * | F1   | sent        | unsent         | certainly it never left                        |          | notBegun |
 * | F2   | again       | unsent         | the other node may have it by the second way   |          | again    |
 * | F3   | sent, again | doubted        | nobody knows whether it left                   | askAgain | again    |
 * | F4   | sent, again | late           | no answer in time                              | askAgain | again    |
 * | F5   | sent, again | writer.changed | the node before answers soon, or not at all    | askAgain | again    |
 * | F6   | sent, again | done           |                                                |          | done     |
 * | F7   | sent, again | refused        | for a reason that its caller is told           |          | refused  |
 * | F8   | sent, again | notBegun       | the other node does not write                  |          | notBegun |
 * | F9   | sent, again | overdue        | no answer at all: it may or may not be done    |          | unknown  |
 *
 * Only after `notBegun` may its caller try again. What comes after the end is ignored.
 */
import type { ForwardOutcome } from "../metrics.ts";

export type ForwardState = "sent" | "again" | ForwardOutcome;

export type ForwardEvent =
  | "unsent"
  | "doubted"
  | "late"
  | "writer.changed"
  | "overdue"
  /** The other node's answer. */
  | "done"
  | "refused"
  | "notBegun";

const ends = { done: "done", refused: "refused", notBegun: "notBegun", overdue: "unknown" } as const;

export function stepForward(state: ForwardState, event: ForwardEvent): { state: ForwardState; asksAgain: boolean } {
  if (state !== "sent" && state !== "again") return { state, asksAgain: false };
  if (event === "unsent") return { state: state === "sent" ? "notBegun" : state, asksAgain: false };
  if (event === "doubted" || event === "late" || event === "writer.changed") return { state: "again", asksAgain: true };
  return { state: ends[event], asksAgain: false };
}
