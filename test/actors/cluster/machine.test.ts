import { describe, expect, it } from "vitest";
import { type SeatEvent, type SeatState, stepSeat } from "../../../actors/cluster/machine.ts";

const step = (state: SeatState, type: SeatEvent["type"]) => {
  const { state: next, actions } = stepSeat(state, { type });
  return [next, ...actions];
};
const states: SeatState[] = ["standing", "claiming", "holding", "left"];
const events: SeatEvent["type"][] = [
  "lease.granted",
  "lease.denied",
  "term.begun",
  "term.failed",
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
    expect(step("holding", "left")).toEqual(["left", "lose", "giveBack"]);
  });

  it("ignores what comes too late or does not concern it", () => {
    const rules = new Set([
      "standing lease.granted",
      "claiming term.begun",
      "claiming term.failed",
      "holding lease.denied",
      "holding fenced",
      "holding handover",
      "standing left",
      "claiming left",
      "holding left",
    ]);
    for (const state of states) {
      for (const event of events) {
        if (!rules.has(`${state} ${event}`)) expect(step(state, event), `${state} ${event}`).toEqual([state]);
      }
    }
  });
});
