import { describe, expect, it } from "vitest";
import {
  type PasskeyEvent,
  type PasskeyState,
  passkeyRefusals,
  stepPasskey,
} from "../../../../actors/users/second-factors/passkey-machine.ts";
import { untestedRules } from "../../../support/machines/rules.ts";

const step = (from: PasskeyState, event: PasskeyEvent) => {
  const { state, actions, refusal } = stepPasskey(from, event);
  return refusal === undefined ? [state, ...actions] : `${state}: ${refusal}`;
};
const registered = (is: Partial<Record<"isFirst" | "isKnown" | "isFull", boolean>> = {}): PasskeyEvent => ({
  type: "registered",
  isFirst: false,
  isKnown: false,
  isFull: false,
  ...is,
});
const ended = (isLast: boolean, isRequired: boolean): PasskeyEvent => ({ type: "ended", isLast, isRequired });
const held = ["active", "blocked"] as const;

describe("passkey machine", () => {
  it("PK1 a further one is kept", () => {
    expect(step("offered", registered())).toEqual(["active", "keep"]);
  });
  it("PK2 the first second factor brings recovery codes", () => {
    expect(step("offered", registered({ isFirst: true }))).toEqual(["active", "keep", "makeCodes"]);
  });
  it("PK3 one that somebody has is not registered again", () => {
    expect(step("offered", registered({ isKnown: true, isFirst: true }))).toBe("offered: isKnown");
    expect(passkeyRefusals.isKnown().message).toMatch(/already/);
  });
  it("PK4 nobody has more than 20", () => {
    expect(step("offered", registered({ isFull: true }))).toBe("offered: isFull");
    expect(passkeyRefusals.isFull().message).toMatch(/at most 20/);
  });
  it("PK5 one that is shown is noted", () => {
    expect(step("active", { type: "shown", isCopy: false })).toEqual(["active", "noteUse"]);
  });
  it("PK6 one of which there is a copy is blocked", () => {
    expect(step("active", { type: "shown", isCopy: true })).toEqual(["blocked", "block"]);
  });
  it("PK7 a blocked one opens nothing, whatever it counts", () => {
    for (const isCopy of [true, false]) expect(step("blocked", { type: "shown", isCopy })).toBe("blocked: isBlocked");
    expect(passkeyRefusals.isBlocked().message).toMatch(/blocked/);
  });
  it("PK8 one of several is removed, also by whoever has to have one", () => {
    for (const from of held)
      for (const isRequired of [true, false]) expect(step(from, ended(false, isRequired))).toEqual(["ended", "remove"]);
  });
  it("PK9 the last one takes the recovery codes along", () => {
    for (const from of held) expect(step(from, ended(true, false))).toEqual(["ended", "clear"]);
  });
  it("PK10 whoever has to have one keeps the last", () => {
    for (const from of held) expect(step(from, ended(true, true))).toBe(`${from}: isRequired`);
    expect(passkeyRefusals.isRequired().message).toMatch(/organization requires/);
  });
  it("names a test for each rule", () => {
    const machine = "actors/users/second-factors/passkey-machine.ts";
    expect(untestedRules("PK", machine, "test/actors/users/second-factors/passkey-machine.test.ts")).toEqual([]);
  });
});
