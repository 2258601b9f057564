/** When a node that is asked whether it lives counts as gone. Time is a fake one. */
import { beforeEach, describe, expect, it } from "vitest";
import { RollCall } from "../../../actors/cluster/roll-call.ts";

const silenceMs = 1500;
const beatMs = 300;

let now: number;
let questions: number;
let rollCall: RollCall;
beforeEach(() => {
  [now, questions] = [0, 0];
  const send = async () => {
    questions++;
    return true;
  };
  rollCall = new RollCall({ send }, silenceMs, () => now);
});

/** Asks with each beat, for so long. */
function askFor(ms: number): void {
  for (const end = now + ms; now < end; now += beatMs) rollCall.ask("writer");
}

describe("a node", () => {
  it("that says nothing is gone after a while, and not before", () => {
    askFor(silenceMs);
    expect(rollCall.isGone("writer")).toBe(true);
    now -= 1;
    expect(rollCall.isGone("writer")).toBe(false);
  });

  it("that nobody asked about is not gone", () => {
    now = 60_000;
    expect(rollCall.isGone("writer")).toBe(false);
  });

  it("that says anything lives, and is given as long again", () => {
    askFor(silenceMs);
    rollCall.heard("writer");
    expect(rollCall.isGone("writer")).toBe(false);
    askFor(silenceMs - beatMs);
    expect(rollCall.isGone("writer")).toBe(false);
    askFor(beatMs);
    expect(rollCall.isGone("writer")).toBe(true);
  });

  it("is asked again after a single question, which may have been lost", () => {
    rollCall.ask("writer");
    now = 2 * silenceMs;
    expect(rollCall.isGone("writer")).toBe(false);
    rollCall.ask("writer");
    expect(rollCall.isGone("writer")).toBe(true);
  });

  it("that was asked long ago, and again now, is not gone for it", () => {
    rollCall.ask("writer");
    now = 30_000;
    rollCall.ask("writer");
    now += beatMs;
    expect(rollCall.isGone("writer")).toBe(false);
  });

  it("is asked once by all who ask at about the same time", () => {
    for (let realm = 0; realm < 100; realm++) rollCall.ask("writer");
    expect(questions).toBe(1);
  });

  it("disowns what it says that it does not write, and only that", () => {
    expect(rollCall.disowns("writer", 7)).toBe(false);
    rollCall.ask("writer");
    expect(rollCall.disowns("writer", 7)).toBe(false);
    rollCall.heard("writer", [8]);
    expect([7, 8].map((realm) => rollCall.disowns("writer", realm))).toEqual([true, false]);
  });
});
