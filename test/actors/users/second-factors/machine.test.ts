import { describe, expect, it } from "vitest";
import {
  type SecondFactorEvent,
  type SecondFactorState,
  secondFactorRefusals,
  stepSecondFactor,
} from "../../../../actors/users/second-factors/machine.ts";
import { untestedRules } from "../../../support/machines/rules.ts";

const step = (from: SecondFactorState, event: SecondFactorEvent) => {
  const { state, actions, refusal } = stepSecondFactor(from, event);
  return refusal === undefined ? [state, ...actions] : `${state}: ${refusal}`;
};
const begun: SecondFactorEvent = { type: "enrolment.begun" };
const confirmed = (isRight: boolean): SecondFactorEvent => ({ type: "enrolment.confirmed", isRight });

const ended = (isRequired: boolean, hasPasskeys = false): SecondFactorEvent => ({
  type: "ended",
  isRequired,
  hasPasskeys,
});
const codesAsked = (hasPasskeys = false): SecondFactorEvent => ({ type: "codes.asked", hasPasskeys });

describe("second factor machine", () => {
  it("SF1 it is set up, and begun anew, by keeping a secret", () => {
    for (const from of ["off", "enrolling"] as const) expect(step(from, begun)).toEqual(["enrolling", "keepSecret"]);
  });
  it("SF2 one that is on is not set up again", () => {
    expect(step("on", begun)).toBe("on: isOn");
    expect(secondFactorRefusals.isOn().message).toMatch(/end it before/);
  });
  it("SF3 its first right code turns it on, and makes recovery codes", () => {
    expect(step("enrolling", confirmed(true))).toEqual(["on", "turnOn", "makeCodes"]);
  });
  it("SF4 a wrong code leaves it as it is", () => {
    expect(step("enrolling", confirmed(false))).toBe("enrolling: wrongCode");
    expect(secondFactorRefusals.wrongCode().message).toMatch(/not the code/);
  });
  it("SF5 a code confirms nothing that was not begun", () => {
    for (const from of ["off", "on"] as const)
      for (const isRight of [true, false]) expect(step(from, confirmed(isRight))).toBe(`${from}: notBegun`);
    expect(secondFactorRefusals.notBegun().message).toMatch(/begin anew/);
  });
  it("SF6 whoever has it on gets other recovery codes", () => {
    expect(step("on", codesAsked())).toEqual(["on", "makeCodes"]);
  });
  it("SF7 nobody else has any", () => {
    for (const from of ["off", "enrolling"] as const) expect(step(from, codesAsked())).toBe(`${from}: isOff`);
  });
  it("SF8 it is ended, also before it was on", () => {
    for (const from of ["enrolling", "on"] as const) expect(step(from, ended(false))).toEqual(["off", "clear"]);
    expect(step("enrolling", ended(true))).toEqual(["off", "clear"]);
  });
  it("SF9 one that is off is not ended", () => {
    for (const isRequired of [true, false]) expect(step("off", ended(isRequired))).toBe("off: isOff");
    expect(secondFactorRefusals.isOff().message).toMatch(/No second factor/);
  });

  it("SF10 whoever has to have one does not end theirs", () => {
    expect(step("on", ended(true))).toBe("on: isRequired");
    expect(secondFactorRefusals.isRequired().message).toMatch(/organization requires/);
  });

  it("SF11 whoever has a passkey gets other recovery codes", () => {
    for (const from of ["off", "enrolling"] as const) expect(step(from, codesAsked(true))).toEqual([from, "makeCodes"]);
  });

  it("SF12 passkeys are ended with it", () => {
    for (const from of ["off", "enrolling"] as const) expect(step(from, ended(false, true))).toEqual(["off", "clear"]);
  });

  it("SF13 whoever has to have one keeps the passkeys too", () => {
    for (const from of ["off", "enrolling", "on"] as const)
      expect(step(from, ended(true, true))).toBe(`${from}: isRequired`);
  });

  it("SF14 codes alone are ended beside passkeys", () => {
    expect(step("on", { type: "totp.ended", hasPasskeys: true })).toEqual(["off", "dropTotp"]);
  });

  it("SF15 and where there are none, only with the second factor as a whole", () => {
    for (const from of ["off", "enrolling", "on"] as const)
      expect(step(from, { type: "totp.ended", hasPasskeys: false })).toBe(`${from}: isOnly`);
    expect(secondFactorRefusals.isOnly().message).toMatch(/only second factor/);
  });

  it("names a test for each rule", () => {
    const machine = "actors/users/second-factors/machine.ts";
    expect(untestedRules("SF", machine, "test/actors/users/second-factors/machine.test.ts")).toEqual([]);
  });
});
