import { describe, expect, it } from "vitest";
import { messageRefusals, stepMessage } from "../../../actors/messages/message-machine.ts";
import { untestedRules } from "../../support/machines/rules.ts";

const deletion = { type: "deletion.asked", mayDeleteAny: false, mayDeleteOwn: true, isLate: false } as const;
const topic = { type: "topic.deletion.asked", mayDeleteAny: true } as const;

const step = (...args: Parameters<typeof stepMessage>) => {
  const { state, actions, refusal } = stepMessage(...args);
  return refusal === undefined ? [state, ...actions] : `${state}: ${refusal}`;
};

describe("message machine", () => {
  it("ME1 whoever may delete what anybody wrote does so at any time", () => {
    const event = { ...deletion, mayDeleteAny: true, mayDeleteOwn: false, isLate: true };
    expect(step("existing", event)).toEqual(["deleted", "erase"]);
  });

  it("ME2 others delete their own in time", () => {
    expect(step("existing", deletion)).toEqual(["deleted", "erase"]);
  });

  it("ME3 nobody else deletes it", () => {
    expect(step("existing", { ...deletion, mayDeleteOwn: false, isLate: true })).toBe("existing: notAllowed");
    expect(messageRefusals.notAllowed().message).toBe("You don't have permission to delete this message");
  });

  it("ME4 nobody deletes their own too late", () => {
    expect(step("existing", { ...deletion, isLate: true })).toBe("existing: tooLate");
    expect(messageRefusals.tooLate().message).toBe("The time limit for deleting this message has passed");
  });

  it("ME5 whoever may delete what anybody wrote deletes a topic's messages", () => {
    expect(step("existing", topic)).toEqual(["deleted", "erase"]);
  });

  it("ME6 nobody else does", () => {
    expect(step("existing", { ...topic, mayDeleteAny: false })).toBe("existing: topicNotAllowed");
    expect(messageRefusals.topicNotAllowed().message).toBe("You don't have permission to delete this topic");
  });

  it("ME7 it goes when the time is over for which it is kept", () => {
    expect(step("existing", { type: "retention.ended" })).toEqual(["deleted", "erase"]);
  });

  it("ME8 one that is not there is not deleted", () => {
    expect(step("deleted", { ...deletion, mayDeleteAny: true })).toBe("deleted: absent");
    expect(messageRefusals.absent().message).toBe("Invalid message(s)");
  });

  it("is deleted but once", () => {
    for (const event of [topic, { type: "retention.ended" }] as const)
      expect(step("deleted", event)).toEqual(["deleted"]);
  });

  it("has a test for each rule of its table", () => {
    const [machine, test] = ["actors/messages/message-machine.ts", "test/actors/messages/message-machine.test.ts"];
    expect(untestedRules("ME", machine, test)).toEqual([]);
  });
});
