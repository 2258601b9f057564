import { describe, expect, it } from "vitest";
import { type RealmMachineEvent, type RealmMachineState, stepRealm } from "../../../actors/realm/machine.ts";

const step = (state: RealmMachineState, event: RealmMachineEvent) => {
  const { state: next, actions } = stepRealm(state, event);
  return [next, ...actions];
};

describe("realm machine", () => {
  it("R1 first use loads the realm", () => {
    expect(step("passivated", { type: "used" })).toEqual(["loading", "load"]);
  });
  it("R2 a loaded realm follows", () => {
    expect(step("loading", { type: "loaded" })).toEqual(["following"]);
    expect(step("loading", { type: "used" })).toEqual(["loading"]);
  });
  it("R3 a follower that wins the lease writes", () => {
    expect(step("following", { type: "lease.won" })).toEqual(["writing", "beginTerm"]);
    expect(step("idle", { type: "lease.won" })).toEqual(["writing", "beginTerm"]);
  });
  it("R4 a writer that loses the lease follows", () => {
    expect(step("writing", { type: "lease.lost" })).toEqual(["following", "endTerm"]);
    expect(step("following", { type: "lease.lost" })).toEqual(["following"]);
  });
  it("R5 an unused realm is idle, without its caches", () => {
    expect(step("following", { type: "unused" })).toEqual(["idle", "shed"]);
    expect(step("writing", { type: "unused" })).toEqual(["idle", "shed"]);
  });
  it("R6 an idle realm comes back as what it was", () => {
    expect(step("idle", { type: "used", hasTerm: true })).toEqual(["writing"]);
    expect(step("idle", { type: "used", hasTerm: false })).toEqual(["following"]);
  });
  it("R7 an idle realm that stays unused is let go", () => {
    expect(step("idle", { type: "unused" })).toEqual(["passivated", "endTerm", "drop"]);
  });
  it("R8 a realm that cannot be loaded has failed", () => {
    expect(step("loading", { type: "failed" })).toEqual(["failed", "drop"]);
  });
  it("R9 a realm whose commit failed is thrown away", () => {
    for (const state of ["following", "writing", "idle"] as const) {
      expect(step(state, { type: "failed" })).toEqual(["failed", "endTerm", "drop"]);
    }
  });
  it("R11 a realm that PostgreSQL may lack is set aside", () => {
    for (const state of ["following", "writing", "idle"] as const) {
      expect(step(state, { type: "doubted" })).toEqual(["failed", "endTerm", "setAside"]);
    }
    expect(step("loading", { type: "doubted" })).toEqual(["failed", "drop"]);
  });
  it("R10 a failed realm is loaded again when it is used", () => {
    expect(step("failed", { type: "used" })).toEqual(["loading", "load"]);
  });
});
