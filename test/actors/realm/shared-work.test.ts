import { setImmediate as tick } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { SharedWork } from "../../../actors/realm/shared-work.ts";

/** Work whose runs end when told, and fail when told to. */
function controlled() {
  const runs: { end(): void; fail(error: Error): void }[] = [];
  const work = new SharedWork(
    () =>
      new Promise<void>((resolve, reject) => {
        runs.push({ end: resolve, fail: reject });
      }),
  );
  return { work, runs };
}

describe("shared work", () => {
  it("begins at once when none is under way", async () => {
    const { work, runs } = controlled();
    const first = work.run();
    expect(runs).toHaveLength(1);
    runs[0]!.end();
    await first;
    void work.run();
    expect(runs).toHaveLength(2);
  });

  it("who comes during a run waits for the next one, which all of them share", async () => {
    const { work, runs } = controlled();
    const first = work.run();
    const ended: string[] = [];
    const later = ["a", "b", "c"].map((name) => work.run().then(() => ended.push(name)));
    runs[0]!.end();
    await first;
    await tick();
    expect(runs).toHaveLength(2);
    expect(ended).toEqual([]);
    const last = work.run();
    runs[1]!.end();
    await Promise.all(later);
    await tick();
    expect(runs).toHaveLength(3);
    runs[2]!.end();
    await last;
  });

  it("a run that fails fails for those who asked before it began, and for nobody else", async () => {
    const { work, runs } = controlled();
    const first = work.run();
    const second = work.run();
    runs[0]!.fail(new Error("gone"));
    await expect(first).rejects.toThrow("gone");
    await tick();
    runs[1]!.end();
    await second;
  });
});
