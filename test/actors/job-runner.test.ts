import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { JobRunner } from "../../actors/job-runner.ts";
import type { Job } from "../../actors/jobs.ts";
import type { RealmActor } from "../../actors/realm/realm.ts";

const warnings: string[] = [];
const environment = {
  log: { info() {}, error() {}, warn: (_: object, message: string) => void warnings.push(message) },
  database: { sql: undefined as never },
};
const realmOf = (id: number, isWriter = true) => {
  const realm = { id, isWriter, woken: 0, activate: async () => void realm.woken++ };
  return realm;
};
const asActor = (realm: object) => realm as unknown as RealmActor;

describe("JobRunner", () => {
  it("runs a job at once and then every so many seconds, where the realm is written", async () => {
    const runs: number[] = [];
    const job: Job = { name: "a", everySecs: 10, run: async ({ id }) => void runs.push(id) };
    const runner = new JobRunner([job], environment);
    const [writer, follower] = [asActor(realmOf(1)), asActor(realmOf(2, false))];
    for (const now of [100, 105, 110]) {
      for (const realm of [writer, follower]) runner.tick(realm, now);
      await turn();
    }
    expect(runs).toEqual([1, 1]);
  });

  it("never runs a job twice at a time, and goes on after one failed", async () => {
    let runs = 0;
    let fail = (_: Error) => {};
    const run = () =>
      new Promise<void>((_, reject) => {
        runs++;
        fail = reject;
      });
    const runner = new JobRunner([{ name: "slow", everySecs: 1, run }], environment);
    const realm = asActor(realmOf(1));
    runner.tick(realm, 100);
    runner.tick(realm, 105);
    expect(runs).toBe(1);
    fail(new Error("broken"));
    await turn();
    expect(warnings).toContain("job failed; it runs again");
    runner.tick(realm, 106);
    expect(runs).toBe(2);
  });

  it("asks once for all realms where a job says for which there is something to do", async () => {
    const runs: number[] = [];
    let asked = 0;
    const job: Job = {
      name: "waiting",
      everySecs: 1,
      onlyWaiting: true,
      run: async ({ id }) => void runs.push(id),
      findWaiting: async () => {
        asked++;
        return [2, 9];
      },
    };
    const runner = new JobRunner([job], environment);
    const realms = new Map([1, 2, 3].map((id) => [id, asActor(realmOf(id))]));
    for (const realm of realms.values()) runner.tick(realm, 100);
    await runner.tickWaiting(realms, 100);
    await runner.tickWaiting(realms, 100);
    expect(runs).toEqual([2]);
    expect(asked).toBe(1);
  });

  it("wakes the realms that have something to do, even when one cannot be loaded", async () => {
    const findWaiting = async () => [1, 2];
    const runner = new JobRunner([{ name: "w", everySecs: 1, run: async () => {}, findWaiting }], environment);
    const broken = { ...realmOf(1), activate: () => Promise.reject(new Error("cannot")) };
    const [waiting, idle] = [realmOf(2), realmOf(3)];
    const sleeping = new Map([broken, waiting, idle].map((realm) => [realm.id, asActor(realm)]));
    await runner.wake(sleeping, 100);
    expect([waiting.woken, idle.woken]).toEqual([1, 0]);
    expect(warnings).toContain("a realm with work was not woken");
  });
});
