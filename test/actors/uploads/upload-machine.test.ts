import { describe, expect, it } from "vitest";
import { stepUpload, uploadRefusals, uploadState } from "../../../actors/uploads/upload-machine.ts";
import { untestedRules } from "../../support/machines/rules.ts";

const linked = { type: "message.linked", maySenderRead: true } as const;
const unlinked = { type: "message.unlinked", isLast: true } as const;
const deletion = { type: "deletion.asked", byOwner: true } as const;

const step = (...args: Parameters<typeof stepUpload>) => {
  const { state, actions, refusal } = stepUpload(...args);
  return refusal === undefined ? [state, ...actions] : `${state}: ${refusal}`;
};

describe("upload machine", () => {
  it("UP1 a message that links to a file which its sender may read claims it", () => {
    for (const state of ["unclaimed", "claimed"] as const)
      expect(step(state, linked)).toEqual(["claimed", "link", "show"]);
  });

  it("UP2 a link by somebody who may not read it is only a text", () => {
    for (const state of ["unclaimed", "claimed"] as const)
      expect(step(state, { ...linked, maySenderRead: false })).toEqual([state]);
  });

  it("UP3 a file stays claimed while another message links to it", () => {
    expect(step("claimed", { ...unlinked, isLast: false })).toEqual(["claimed", "unlink", "show"]);
  });

  it("UP4 without the last of its messages it is unclaimed", () => {
    expect(step("claimed", unlinked)).toEqual(["unclaimed", "unlink", "show"]);
    expect(step("unclaimed", unlinked)).toEqual(["unclaimed"]);
  });

  it("UP5 its owner deletes it, claimed or not", () => {
    for (const state of ["unclaimed", "claimed"] as const) expect(step(state, deletion)).toEqual(["deleted", "remove"]);
  });

  it("UP7 retention removes one that nothing names any more", () => {
    expect(step("unclaimed", { type: "retention.over" })).toEqual(["deleted", "remove"]);
  });

  it("UP8 retention leaves one that is named again, or gone", () => {
    for (const state of ["claimed", "deleted"] as const)
      expect(step(state, { type: "retention.over" })).toEqual([state]);
  });

  it("UP9 an infected one goes, whoever names it", () => {
    for (const state of ["unclaimed", "claimed"] as const)
      expect(step(state, { type: "infection.found" })).toEqual(["deleted", "remove"]);
    expect(step("deleted", { type: "infection.found" })).toEqual(["deleted"]);
  });

  it("UP6 there is none for anybody else, nor one that is deleted", () => {
    for (const state of ["unclaimed", "claimed", "deleted"] as const)
      expect(step(state, { ...deletion, byOwner: false })).toBe(`${state}: absent`);
    expect(step("deleted", deletion)).toBe("deleted: absent");
    expect(uploadRefusals.absent().message).toBe("Invalid attachment");
    expect(uploadState(undefined)).toBe("deleted");
  });

  it("is linked to no more once it is deleted", () => {
    for (const event of [linked, unlinked]) expect(step("deleted", event)).toEqual(["deleted"]);
  });

  it("has a test for each rule of its table", () => {
    const [machine, test] = ["actors/uploads/upload-machine.ts", "test/actors/uploads/upload-machine.test.ts"];
    expect(untestedRules("UP", machine, test)).toEqual([]);
  });
});
