import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { JobRunner, type RunnableRealm } from "../../actors/job-runner.ts";
import type { RealmEnvironment } from "../../actors/realm/environment.ts";
import type { Job } from "../../actors/realm/job.ts";

const warnings: string[] = [];
const environment = {
  log: { info() {}, error() {}, warn: (_: object, message: string) => void warnings.push(message) },
  database: { sql: undefined as never },
} as unknown as RealmEnvironment;
const realmOf = (id: number, isWriter = true) => {
  const realm = {
    id,
    isWriter,
    woken: 0,
    activate: async () => void realm.woken++,
    newest: 0,
    newestOf: () => realm.newest,
  };
  return realm;
};
const asActor = (realm: object) => realm as unknown as RunnableRealm;

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

  it("asks not before a job says that something is due, unless the realms had news", async () => {
    let next: number | null = 110;
    let [looked, asked] = [0, 0];
    const job: Job = {
      name: "later",
      everySecs: 1,
      onlyWaiting: true,
      run: async () => {},
      findWaiting: async () => {
        asked++;
        return [];
      },
      next: {
        at: async () => {
          looked++;
          return next;
        },
        changedBy: ["reminders"],
      },
    };
    const runner = new JobRunner([job], environment);
    const realm = realmOf(1);
    const realms = new Map([[1, asActor(realm)]]);
    const tick = async (now: number) => {
      await runner.tickWaiting(realms, now);
      return [looked, asked];
    };
    expect(await tick(100)).toEqual([1, 0]);
    expect(await tick(109)).toEqual([1, 0]);
    // Something is scheduled for earlier.
    next = 105;
    realm.newest = 7;
    expect(await tick(104)).toEqual([2, 0]);
    expect(await tick(105)).toEqual([3, 1]);
    // What is due stays so until it is done.
    expect(await tick(106)).toEqual([4, 2]);
    next = null;
    expect(await tick(107)).toEqual([5, 2]);
    expect(await tick(166)).toEqual([5, 2]);
    // Nothing was heard for a minute.
    expect(await tick(167)).toEqual([6, 2]);
    // The realm is another node's now.
    realm.isWriter = false;
    expect(await tick(168)).toEqual([7, 2]);
  });

  it("asks outside for sleeping realms as seldom as the job runs, and goes on when that fails", async () => {
    const asked: number[][] = [];
    const findAsleep = async (_: unknown, asleep: readonly number[]) => {
      asked.push([...asleep]);
      if (asked.length === 2) throw new Error("away");
      return [2, 9];
    };
    const runner = new JobRunner([{ name: "o", everySecs: 900, run: async () => {}, findAsleep }], environment);
    const realms = [realmOf(1), realmOf(2)];
    const sleeping = new Map(realms.map((realm) => [realm.id, asActor(realm)]));
    for (const now of [100, 200, 1000, 1100, 1900]) {
      await runner.wake(sleeping, now);
      await turn();
    }
    expect(asked).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
    expect(realms.map(({ woken }) => woken)).toEqual([0, 2]);
    expect(warnings).toContain("a job did not find what waits for it");
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
