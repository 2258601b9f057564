import { describe, expect, it } from "vitest";
import { channelRefusals, grantChannel, stepChannel, takesMessages } from "../../../actors/channels/channel-machine.ts";
import { untestedRules } from "../../support/machines/rules.ts";

const archive = { type: "archive.asked", mayAdminister: true } as const;
const back = { type: "return.asked", byAdmin: true, isNameFree: true, isFolderArchived: false } as const;

describe("channel machine", () => {
  it("CH1 whoever may administer a channel puts it into the archive", () => {
    expect(stepChannel("active", archive)).toEqual({
      state: "archived",
      actions: ["announce", "leaveDefaults", "endNotices", "show"],
      refusal: undefined,
    });
  });

  it("CH2 nobody else does", () => {
    for (const state of ["active", "archived"] as const) {
      const refused = { state, actions: [], refusal: "mayNotAdminister" };
      expect(stepChannel(state, { ...archive, mayAdminister: false })).toEqual(refused);
    }
    expect(channelRefusals.mayNotAdminister("").message).toBe("You do not have permission to administer this channel.");
  });

  it("CH3 one that is archived is not archived again", () => {
    expect(stepChannel("archived", archive)).toEqual({ state: "archived", actions: [], refusal: "isArchived" });
    expect(channelRefusals.isArchived("").message).toBe("Channel is already archived.");
  });

  it("CH4 an administrator brings it back", () => {
    expect(stepChannel("archived", back)).toEqual({
      state: "active",
      actions: ["show", "announceReturn"],
      refusal: undefined,
    });
  });

  it("CH5 nobody else brings it back, whatever the name", () => {
    const refused = { state: "archived", actions: [], refusal: "notAdministrator" };
    expect(stepChannel("archived", { ...back, byAdmin: false })).toEqual(refused);
    expect(stepChannel("archived", { ...back, byAdmin: false, isNameFree: false })).toEqual(refused);
    expect(channelRefusals.notAdministrator("").code).toBe("UNAUTHORIZED_PRINCIPAL");
  });

  it("CH6 it comes back under no name that an active channel has", () => {
    const refused = { state: "archived", actions: [], refusal: "nameTaken" };
    expect(stepChannel("archived", { ...back, isNameFree: false })).toEqual(refused);
    expect(channelRefusals.nameTaken("Design").message).toBe("Channel 'Design' already exists");
  });

  it("CH7 it leaves a folder that was archived meanwhile", () => {
    const { state, actions } = stepChannel("archived", { ...back, isFolderArchived: true });
    expect([state, ...actions]).toEqual(["active", "leaveFolder", "show", "announceReturn"]);
  });

  it("CH8 two active channels have not one name, while archived ones may", () => {
    const taken = { type: "rename.asked", isNameFree: false } as const;
    expect(() => grantChannel({ is_archived: false }, taken, "Design")).toThrow("Channel 'Design' already exists");
    expect(stepChannel("active", { ...taken, isNameFree: true }).refusal).toBeUndefined();
    expect(stepChannel("archived", taken).refusal).toBeUndefined();
  });

  it("CH9 new people are put into no archived channel", () => {
    expect(stepChannel("active", { type: "default.asked" }).refusal).toBeUndefined();
    expect(() => grantChannel({ is_archived: true }, { type: "default.asked" })).toThrow("cannot be a default channel");
  });

  it("CH10 the organization uses no archived channel", () => {
    expect(stepChannel("active", { type: "role.asked" }).refusal).toBeUndefined();
    expect(() => grantChannel({ is_archived: true }, { type: "role.asked" })).toThrow("Invalid channel ID");
  });

  it("CH11 messages of an archived channel stay as they are", () => {
    expect(takesMessages({ is_archived: false })).toBe(true);
    expect(takesMessages({ is_archived: true })).toBe(false);
    expect(channelRefusals.isClosed("").message).toBe("Invalid message(s)");
  });

  it("brings nothing back that is active", () => {
    for (const byAdmin of [true, false])
      expect(stepChannel("active", { ...back, byAdmin })).toEqual({ state: "active", actions: [], refusal: undefined });
  });

  it("has a test for each rule of its table", () => {
    const [machine, test] = ["actors/channels/channel-machine.ts", "test/actors/channels/channel-machine.test.ts"];
    expect(untestedRules("CH", machine, test)).toEqual([]);
  });
});
