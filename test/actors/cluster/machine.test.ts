import { describe, expect, it } from "vitest";
import { type SeatEvent, type SeatState, stepSeat } from "../../../actors/cluster/machine.ts";

const step = (state: SeatState, type: SeatEvent["type"]) => {
  const { state: next, actions } = stepSeat(state, { type });
  return [next, ...actions];
};
const states: SeatState[] = ["standing", "claiming", "retreating", "holding", "left"];
const events: SeatEvent["type"][] = [
  "lease.granted",
  "lease.denied",
  "term.begun",
  "term.failed",
  "term.vacant",
  "claim.overdue",
  "fenced",
  "handover",
  "left",
];

describe("seat machine", () => {
  it("S1 a node that is granted the lease begins a term", () => {
    expect(step("standing", "lease.granted")).toEqual(["claiming", "win"]);
  });

  it("S2 it writes once the term has begun", () => {
    expect(step("claiming", "term.begun")).toEqual(["holding"]);
  });

  it("S3 it gives the lease back when PostgreSQL did not let the term begin", () => {
    expect(step("claiming", "term.failed")).toEqual(["standing", "giveBack"]);
  });

  it("S4 it stops writing when another node holds the lease, which is not its to give back", () => {
    expect(step("holding", "lease.denied")).toEqual(["standing", "lose"]);
  });

  it("S5 a fenced writer has stopped already and gives the lease back", () => {
    expect(step("holding", "fenced")).toEqual(["standing", "giveBack"]);
  });

  it("S6 a hand-over ends the term before it gives the lease back", () => {
    expect(step("holding", "handover")).toEqual(["standing", "lose", "giveBack"]);
  });

  it("S7 a realm that is let go here ends and gives back what there is", () => {
    expect(step("standing", "left")).toEqual(["left"]);
    expect(step("claiming", "left")).toEqual(["left", "giveBack"]);
    expect(step("retreating", "left")).toEqual(["left"]);
    expect(step("holding", "left")).toEqual(["left", "lose", "giveBack"]);
  });

  it("S8 a node whose lease went to another one while it claimed waits for the outcome of its claim", () => {
    expect(step("claiming", "lease.denied")).toEqual(["retreating"]);
  });

  it("S9 a claim that takes too long leaves the lease to others", () => {
    expect(step("claiming", "claim.overdue")).toEqual(["retreating", "giveBack"]);
  });

  it("S10 a claim is given up when another node should write, or this one stops", () => {
    expect(step("claiming", "handover")).toEqual(["retreating", "giveBack"]);
  });

  it("S11 a claim is given up when another node has begun a term", () => {
    expect(step("claiming", "fenced")).toEqual(["retreating", "giveBack"]);
  });

  it("S12 a term that begins though it is not wanted any more is ended", () => {
    expect(step("retreating", "term.begun")).toEqual(["standing", "lose"]);
  });

  it("S13 a claim that was given up and failed leaves nothing to end", () => {
    expect(step("retreating", "term.failed")).toEqual(["standing"]);
  });

  it("S14 a term that begins after the realm was let go is ended", () => {
    expect(step("left", "term.begun")).toEqual(["left", "lose"]);
  });

  it("S15 without Redis a node takes a realm that no node is in a term of", () => {
    expect(step("standing", "term.vacant")).toEqual(["claiming", "winVacant"]);
  });

  it("ignores what comes too late or does not concern it", () => {
    const rules = new Set([
      "standing lease.granted",
      "standing term.vacant",
      "standing left",
      "claiming term.begun",
      "claiming term.failed",
      "claiming lease.denied",
      "claiming claim.overdue",
      "claiming handover",
      "claiming fenced",
      "claiming left",
      "retreating term.begun",
      "retreating term.failed",
      "retreating left",
      "holding lease.denied",
      "holding fenced",
      "holding handover",
      "holding left",
      "left term.begun",
    ]);
    for (const state of states) {
      for (const event of events) {
        if (!rules.has(`${state} ${event}`)) expect(step(state, event), `${state} ${event}`).toEqual([state]);
      }
    }
  });
});
