import { describe, expect, it } from "vitest";
import { type CandidateEvent, type CandidateState, stepCandidate } from "../../../actors/cluster/machine.ts";

const step = (state: CandidateState, type: CandidateEvent["type"]) => {
  const { state: next, actions } = stepCandidate(state, { type });
  return [next, ...actions];
};
const states: CandidateState[] = ["following", "claiming", "yielding", "writing", "left"];
const events: CandidateEvent["type"][] = [
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

describe("candidate machine", () => {
  it("C1 a node that is granted the lease begins a term", () => {
    expect(step("following", "lease.granted")).toEqual(["claiming", "beginTerm"]);
  });

  it("C2 it writes once the term has begun", () => {
    expect(step("claiming", "term.begun")).toEqual(["writing"]);
  });

  it("C3 it gives the lease back when PostgreSQL did not let the term begin", () => {
    expect(step("claiming", "term.failed")).toEqual(["following", "releaseLease"]);
  });

  it("C4 it stops writing when another node holds the lease, which is not its to give back", () => {
    expect(step("writing", "lease.denied")).toEqual(["following", "endTerm"]);
  });

  it("C5 a fenced writer has stopped already and gives the lease back", () => {
    expect(step("writing", "fenced")).toEqual(["following", "releaseLease"]);
  });

  it("C6 a hand-over ends the term before it gives the lease back", () => {
    expect(step("writing", "handover")).toEqual(["following", "endTerm", "releaseLease"]);
  });

  it("C7 a realm that is let go here ends and gives back what there is", () => {
    expect(step("following", "left")).toEqual(["left"]);
    expect(step("claiming", "left")).toEqual(["left", "releaseLease"]);
    expect(step("yielding", "left")).toEqual(["left"]);
    expect(step("writing", "left")).toEqual(["left", "endTerm", "releaseLease"]);
  });

  it("C8 a node whose lease went to another one while it claimed waits for the outcome of its claim", () => {
    expect(step("claiming", "lease.denied")).toEqual(["yielding"]);
  });

  it("C9 a claim that takes too long leaves the lease to others", () => {
    expect(step("claiming", "claim.overdue")).toEqual(["yielding", "releaseLease"]);
  });

  it("C10 a claim is given up when another node should write, or this one stops", () => {
    expect(step("claiming", "handover")).toEqual(["yielding", "releaseLease"]);
  });

  it("C11 a claim is given up when another node has begun a term", () => {
    expect(step("claiming", "fenced")).toEqual(["yielding", "releaseLease"]);
  });

  it("C12 a term that begins though it is not wanted any more is ended", () => {
    expect(step("yielding", "term.begun")).toEqual(["following", "endTerm"]);
  });

  it("C13 a claim that was given up and failed leaves nothing to end", () => {
    expect(step("yielding", "term.failed")).toEqual(["following"]);
  });

  it("C14 a term that begins after the realm was let go is ended", () => {
    expect(step("left", "term.begun")).toEqual(["left", "endTerm"]);
  });

  it("C15 without Redis a node takes a realm that no node is in a term of", () => {
    expect(step("following", "term.vacant")).toEqual(["claiming", "beginVacantTerm"]);
  });

  it("ignores what comes too late or does not concern it", () => {
    const rules = new Set([
      "following lease.granted",
      "following term.vacant",
      "following left",
      "claiming term.begun",
      "claiming term.failed",
      "claiming lease.denied",
      "claiming claim.overdue",
      "claiming handover",
      "claiming fenced",
      "claiming left",
      "yielding term.begun",
      "yielding term.failed",
      "yielding left",
      "writing lease.denied",
      "writing fenced",
      "writing handover",
      "writing left",
      "left term.begun",
    ]);
    for (const state of states) {
      for (const event of events) {
        if (!rules.has(`${state} ${event}`)) expect(step(state, event), `${state} ${event}`).toEqual([state]);
      }
    }
  });
});
