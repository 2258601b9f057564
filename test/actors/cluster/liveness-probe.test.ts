/** When a node that is asked whether it lives counts as gone. Time is a fake one. */
import { beforeEach, describe, expect, it } from "vitest";
import { LivenessProbe } from "../../../actors/cluster/liveness-probe.ts";

const silenceMs = 1500;
const checkMs = 300;

let now: number;
let questions: number;
let liveness: LivenessProbe;
beforeEach(() => {
  [now, questions] = [0, 0];
  const send = async () => {
    questions++;
    return true;
  };
  liveness = new LivenessProbe({ send }, silenceMs, () => now);
});

/** Asks with each check, for so long. */
function askFor(ms: number): void {
  for (const end = now + ms; now < end; now += checkMs) liveness.probe("writer");
}

describe("a node", () => {
  it("that says nothing is gone after a while, and not before", () => {
    askFor(silenceMs);
    expect(liveness.isGone("writer")).toBe(true);
    now -= 1;
    expect(liveness.isGone("writer")).toBe(false);
  });

  it("that nobody asked about is not gone", () => {
    now = 60_000;
    expect(liveness.isGone("writer")).toBe(false);
  });

  it("that says anything lives, and is given as long again", () => {
    askFor(silenceMs);
    liveness.sawAlive("writer");
    expect(liveness.isGone("writer")).toBe(false);
    askFor(silenceMs - checkMs);
    expect(liveness.isGone("writer")).toBe(false);
    askFor(checkMs);
    expect(liveness.isGone("writer")).toBe(true);
  });

  it("is asked again after a single question, which may have been lost", () => {
    liveness.probe("writer");
    now = 2 * silenceMs;
    expect(liveness.isGone("writer")).toBe(false);
    liveness.probe("writer");
    expect(liveness.isGone("writer")).toBe(true);
  });

  it("that was asked long ago, and again now, is not gone for it", () => {
    liveness.probe("writer");
    now = 30_000;
    liveness.probe("writer");
    now += checkMs;
    expect(liveness.isGone("writer")).toBe(false);
  });

  it("is asked once by all who ask at about the same time", () => {
    for (let realm = 0; realm < 100; realm++) liveness.probe("writer");
    expect(questions).toBe(1);
  });

  it("disowns what it says that it does not write, and only that", () => {
    expect(liveness.disowns("writer", 7)).toBe(false);
    liveness.probe("writer");
    expect(liveness.disowns("writer", 7)).toBe(false);
    liveness.sawAlive("writer", [8]);
    expect([7, 8].map((realm) => liveness.disowns("writer", realm))).toEqual([true, false]);
  });
});
