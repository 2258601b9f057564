import { describe, expect, it } from "vitest";
import { scheduledRefusals, scheduledState, stepScheduled } from "../../../actors/scheduled/machine.ts";
import { untestedRules } from "../../support/machines/rules.ts";

const due = { type: "due", isAuthorActive: true, maySend: true } as const;
const reminder = { type: "reminder.due", isAuthorActive: true, mayRead: true } as const;
const edit = { type: "edit.asked", byAuthor: true, hasNewTime: true } as const;
const deletion = { type: "deletion.asked", byAuthor: true } as const;

const step = (...args: Parameters<typeof stepScheduled>) => {
  const { state, actions, refusal } = stepScheduled(...args);
  return refusal === undefined ? [state, ...actions] : `${state}: ${refusal}`;
};

describe("scheduled message machine", () => {
  it("SM1 one that is due is sent, and gone", () => {
    expect(step("waiting", due)).toEqual(["sent", "send", "forget"]);
  });

  it("SM2 it fails without a word when its author is deactivated", () => {
    expect(step("waiting", { ...due, isAuthorActive: false, maySend: false })).toEqual(["failed", "keep"]);
    expect(step("waiting", { ...reminder, isAuthorActive: false, mayRead: false })).toEqual(["failed", "keep"]);
  });

  it("SM3 one that may not be sent is kept as failed, and its author told", () => {
    expect(step("waiting", { ...due, maySend: false })).toEqual(["failed", "keep", "show", "explain"]);
  });

  it("SM4 a reminder that is due is sent, and gone", () => {
    expect(step("waiting", reminder)).toEqual(["sent", "forget", "send"]);
  });

  it("SM5 nobody is reminded of what they do not read any more, and they are told so", () => {
    expect(step("waiting", { ...reminder, mayRead: false })).toEqual(["deleted", "forget", "explain"]);
  });

  it("SM6 its author changes it, and one that failed waits again", () => {
    expect(step("waiting", edit)).toEqual(["waiting", "keep", "show"]);
    expect(step("waiting", { ...edit, hasNewTime: false })).toEqual(["waiting", "keep", "show"]);
    expect(step("failed", edit)).toEqual(["waiting", "keep", "show"]);
  });

  it("SM7 one that failed needs a new time", () => {
    expect(step("failed", { ...edit, hasNewTime: false })).toBe("failed: needsTime");
    expect(scheduledRefusals.needsTime("Scheduled message").message).toMatch("must be in the future");
  });

  it("SM8 its author deletes it", () => {
    expect(step("waiting", deletion)).toEqual(["deleted", "forget"]);
    expect(step("failed", deletion)).toEqual(["deleted", "forget"]);
  });

  it("SM9 there is none for anybody else, nor one that is sent or deleted", () => {
    for (const state of ["waiting", "failed"] as const) {
      expect(step(state, { ...edit, byAuthor: false, hasNewTime: false })).toBe(`${state}: absent`);
      expect(step(state, { ...deletion, byAuthor: false })).toBe(`${state}: absent`);
    }
    for (const state of ["sent", "deleted"] as const)
      for (const event of [edit, deletion]) expect(step(state, event)).toBe(`${state}: absent`);
    expect(scheduledRefusals.absent("Reminder")).toMatchObject({ status: 404, message: "Reminder does not exist" });
    expect(scheduledState(undefined)).toBe("deleted");
  });

  it("is due but once", () => {
    for (const state of ["failed", "sent", "deleted"] as const)
      for (const event of [due, reminder]) expect(step(state, event)).toEqual([state]);
  });

  it("has a test for each rule of its table", () => {
    const [machine, test] = ["actors/scheduled/machine.ts", "test/actors/scheduled/machine.test.ts"];
    expect(untestedRules("SM", machine, test)).toEqual([]);
  });
});
