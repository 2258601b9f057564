import { describe, expect, it } from "vitest";
import { folderRefusals, stepFolder } from "../../../actors/channels/folder-machine.ts";
import { untestedRules } from "../../support/machines/rules.ts";

const archive = { type: "archive.asked", byAdmin: true, isEmpty: true } as const;
const back = { type: "return.asked", byAdmin: true } as const;

describe("channel folder machine", () => {
  it("FO1 an administrator puts an empty folder into the archive", () => {
    expect(stepFolder("active", archive)).toEqual({ state: "archived", actions: ["show"], refusal: undefined });
  });

  it("FO2 a folder with channels stays", () => {
    const refused = { state: "active", actions: [], refusal: "holdsChannels" };
    expect(stepFolder("active", { ...archive, isEmpty: false })).toEqual(refused);
    expect(folderRefusals.holdsChannels().message).toMatch("remove all the channels");
  });

  it("FO3 an administrator brings it back", () => {
    expect(stepFolder("archived", back)).toEqual({ state: "active", actions: ["show"], refusal: undefined });
  });

  it("FO4 nobody else does either", () => {
    for (const state of ["active", "archived"] as const) {
      const refused = { state, actions: [], refusal: "notAdministrator" };
      expect(stepFolder(state, { ...archive, byAdmin: false, isEmpty: false })).toEqual(refused);
      expect(stepFolder(state, { ...back, byAdmin: false })).toEqual(refused);
    }
    expect(folderRefusals.notAdministrator().code).toBe("UNAUTHORIZED_PRINCIPAL");
  });

  it("FO5 no channel is put into a folder that is archived", () => {
    expect(stepFolder("active", { type: "channel.put" }).refusal).toBeUndefined();
    expect(stepFolder("archived", { type: "channel.put" }).refusal).toBe("isArchived");
    expect(folderRefusals.isArchived().message).toBe("The channel folder is archived.");
  });

  it("makes of a folder nothing that it is already", () => {
    expect(stepFolder("active", back)).toEqual({ state: "active", actions: [], refusal: undefined });
    expect(stepFolder("archived", archive)).toEqual({ state: "archived", actions: [], refusal: undefined });
  });

  it("has a test for each rule of its table", () => {
    const [machine, test] = ["actors/channels/folder-machine.ts", "test/actors/channels/folder-machine.test.ts"];
    expect(untestedRules("FO", machine, test)).toEqual([]);
  });
});
