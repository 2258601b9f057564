import { describe, expect, it } from "vitest";
import { type InvitationEvent, type InvitationState, stepInvitation } from "../../../actors/invitations/machine.ts";

const step = (state: InvitationState, event: InvitationEvent) => stepInvitation(state, event);

describe("invitation machine", () => {
  it("IN1 a link for anybody stays open when somebody joins", () => {
    expect(step("open", { type: "joined", isReusable: true })).toEqual({ state: "open", actions: [] });
  });
  it("IN2 an invitation of one address is used up", () => {
    expect(step("open", { type: "joined", isReusable: false })).toEqual({ state: "used", actions: [] });
  });
  it("IN3 it expires when its time is over", () => {
    expect(step("open", { type: "clock.expired" })).toEqual({ state: "expired", actions: [] });
  });
  it("IN4 it can be taken back", () => {
    expect(step("open", { type: "revoked" })).toEqual({ state: "revoked", actions: [] });
  });
  it("IN5 sending it again renews it", () => {
    expect(step("open", { type: "resent" })).toEqual({ state: "open", actions: ["renew"] });
  });

  it("nothing happens to one that is over", () => {
    const events: InvitationEvent[] = [
      { type: "joined", isReusable: true },
      { type: "joined", isReusable: false },
      { type: "clock.expired" },
      { type: "revoked" },
      { type: "resent" },
    ];
    for (const state of ["expired", "revoked", "used"] as const) {
      for (const event of events) expect(step(state, event)).toEqual({ state, actions: [] });
    }
  });
});
