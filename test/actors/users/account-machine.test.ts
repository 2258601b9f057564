import { describe, expect, it } from "vitest";
import { accountRefusals, stepAccount } from "../../../actors/users/account-machine.ts";
import { untestedRules } from "../../support/machines/rules.ts";

const deactivate = {
  type: "deactivation.asked",
  mayManage: true,
  byOwner: false,
  ofOwner: false,
  isOnlyOwner: false,
  isOnlyUser: false,
} as const;
const erase = { type: "erasure.asked", byOwner: true, isOnlyOwner: false, isOnlyUser: false } as const;
const back = {
  type: "return.asked",
  byAdmin: true,
  byOwner: false,
  byBot: false,
  ofOwner: false,
  isStub: false,
  isOrphan: false,
} as const;

const step = (...args: Parameters<typeof stepAccount>) => {
  const { state, actions, refusal } = stepAccount(...args);
  return refusal === undefined ? [state, ...actions] : `${state}: ${refusal}`;
};

describe("account machine", () => {
  it("AC1 whoever manages an account ends it, an owner's if they are one", () => {
    for (const state of ["stub", "active"] as const) {
      expect(step(state, deactivate)).toEqual(["deactivated", "endBots", "close"]);
      expect(step(state, { ...deactivate, ofOwner: true, byOwner: true })).toEqual(["deactivated", "endBots", "close"]);
    }
  });

  it("AC2 nobody else ends it", () => {
    for (const state of ["stub", "active", "deactivated"] as const) {
      expect(step(state, { ...deactivate, mayManage: false })).toBe(`${state}: notAdministrator`);
      expect(step(state, { ...deactivate, ofOwner: true })).toBe(`${state}: notOwner`);
    }
    expect(accountRefusals.notAdministrator().message).toBe("Must be an organization administrator");
    expect(accountRefusals.notOwner().message).toBe("Must be an organization owner");
  });

  it("AC3 what is deactivated is not deactivated again", () => {
    expect(step("deactivated", deactivate)).toBe("deactivated: isDeactivated");
    expect(accountRefusals.isDeactivated().message).toBe("User is deactivated");
  });

  it("AC4 the only owner and the only person stay", () => {
    for (const state of ["stub", "active"] as const) {
      for (const event of [deactivate, erase]) {
        expect(step(state, { ...event, isOnlyOwner: true, isOnlyUser: true })).toBe(`${state}: isOnlyOwner`);
        expect(step(state, { ...event, isOnlyUser: true })).toBe(`${state}: isOnlyUser`);
      }
    }
    expect(accountRefusals.isOnlyOwner().extra).toEqual({ is_last_owner: true, entity: "organization owner" });
    expect(accountRefusals.isOnlyUser().extra).toEqual({ is_last_owner: false, entity: "user" });
  });

  it("AC5 a bot goes with its owner", () => {
    for (const state of ["stub", "active"] as const)
      expect(step(state, { type: "owner.left" })).toEqual(["deactivated", "close"]);
    expect(step("deactivated", { type: "owner.left" })).toEqual(["deactivated"]);
  });

  it("AC6 an owner deletes an account", () => {
    for (const state of ["stub", "active"] as const)
      expect(step(state, erase)).toEqual(["deleted", "endBots", "close", "erase"]);
  });

  it("AC7 an owner deletes one that is deactivated", () => {
    expect(step("deactivated", erase)).toEqual(["deleted", "erase"]);
  });

  it("AC8 nobody else deletes one, not even their own", () => {
    for (const state of ["stub", "active", "deactivated"] as const)
      expect(step(state, { ...erase, byOwner: false, isOnlyUser: true })).toBe(`${state}: notOwner`);
  });

  it("AC9 an administrator brings an account back as what it was", () => {
    expect(step("deactivated", back)).toEqual(["active", "reopen"]);
    expect(step("deactivated", { ...back, isStub: true })).toEqual(["stub", "reopen"]);
    expect(step("deactivated", { ...back, ofOwner: true, byOwner: true })).toEqual(["active", "reopen"]);
  });

  it("AC10 a bot without an owner is whose who brings it back", () => {
    expect(step("deactivated", { ...back, isOrphan: true })).toEqual(["active", "adopt", "reopen"]);
  });

  it("AC11 no bot brings back a bot without an owner", () => {
    expect(step("deactivated", { ...back, isOrphan: true, byBot: true })).toBe("deactivated: hasNoOwner");
    expect(step("deactivated", { ...back, byBot: true })).toEqual(["active", "reopen"]);
    expect(accountRefusals.hasNoOwner().message).toMatch("a person has to bring it back");
  });

  it("AC12 nobody else brings an account back", () => {
    for (const state of ["stub", "active", "deactivated"] as const) {
      expect(step(state, { ...back, byAdmin: false, ofOwner: true })).toBe(`${state}: notAdministrator`);
      expect(step(state, { ...back, ofOwner: true })).toBe(`${state}: notOwner`);
    }
    expect(step("deleted", { ...back, byAdmin: false })).toBe("deleted: notAdministrator");
  });

  it("AC13 the first log-in to an imported stub makes it active", () => {
    expect(step("stub", { type: "login.noted", isFirst: true })).toEqual(["active", "join", "claim", "regroup"]);
    expect(step("stub", { type: "login.noted", isFirst: false })).toEqual(["stub"]);
  });

  it("AC14 the first log-in to an account is when its owner joined", () => {
    expect(step("active", { type: "login.noted", isFirst: true })).toEqual(["active", "join", "regroup"]);
    expect(step("active", { type: "login.noted", isFirst: false })).toEqual(["active"]);
  });

  it("AC15 a deleted account is as one that never was", () => {
    for (const event of [deactivate, { ...deactivate, mayManage: false }, erase, { ...erase, byOwner: false }, back])
      expect(step("deleted", event)).toBe("deleted: noSuchUser");
    expect(step("deleted", { type: "login.noted", isFirst: true })).toEqual(["deleted"]);
    expect(accountRefusals.noSuchUser().message).toBe("No such user");
  });

  it("brings nothing back that is active", () => {
    for (const state of ["stub", "active"] as const) expect(step(state, back)).toEqual([state]);
  });

  it("has a test for each rule of its table", () => {
    const [machine, test] = ["actors/users/account-machine.ts", "test/actors/users/account-machine.test.ts"];
    expect(untestedRules("AC", machine, test)).toEqual([]);
  });
});
