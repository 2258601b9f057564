import { describe, expect, it } from "vitest";
import {
  type InvitationEvent,
  type InvitationState,
  invitationRefusals,
  stepInvitation,
} from "../../../actors/invitations/machine.ts";
import { untestedRules } from "../../support/machines/rules.ts";

const step = (from: InvitationState, event: InvitationEvent) => {
  const { state, actions, refusal } = stepInvitation(from, event);
  return refusal === undefined ? [state, ...actions] : `${state}: ${refusal}`;
};

describe("invitation machine", () => {
  it("IN1 a link for anybody stays open when somebody joins", () => {
    expect(step("open", { type: "joined", isReusable: true })).toEqual(["open"]);
  });
  it("IN2 an invitation of one address is used up", () => {
    expect(step("open", { type: "joined", isReusable: false })).toEqual(["used", "end"]);
  });
  it("IN3 it expires when its time is over", () => {
    expect(step("open", { type: "clock.expired" })).toEqual(["expired", "end"]);
  });
  it("IN4 it can be taken back", () => {
    expect(step("open", { type: "revoked" })).toEqual(["revoked", "end"]);
  });
  it("IN5 sending it again renews it", () => {
    expect(step("open", { type: "resent" })).toEqual(["open", "renew"]);
  });
  it("IN6 it is taken back but once", () => {
    expect(step("revoked", { type: "revoked" })).toBe("revoked: isRevoked");
    expect(invitationRefusals.isRevoked().message).toBe("Invitation has already been revoked");
  });
  it("IN7 one that is over is neither taken back nor sent again", () => {
    for (const state of ["expired", "revoked", "used"] as const) {
      expect(step(state, { type: "resent" })).toBe(`${state}: isOver`);
      if (state !== "revoked") expect(step(state, { type: "revoked" })).toBe(`${state}: isOver`);
    }
    expect(invitationRefusals.isOver().message).toBe("No such invitation");
  });

  it("nothing else happens to one that is over", () => {
    const events: InvitationEvent[] = [
      { type: "joined", isReusable: true },
      { type: "joined", isReusable: false },
      { type: "clock.expired" },
    ];
    for (const state of ["expired", "revoked", "used"] as const)
      for (const event of events) expect(step(state, event)).toEqual([state]);
  });

  it("has a test for each rule of its table", () => {
    const [machine, test] = ["actors/invitations/machine.ts", "test/actors/invitations/machine.test.ts"];
    expect(untestedRules("IN", machine, test)).toEqual([]);
  });
});
