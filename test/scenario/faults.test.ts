/**
 * Faults at random, from a seed: nodes killed and paused, wires cut, Redis flushed and restarted, PostgreSQL restarted, one
 * over the other, under load. Afterwards everything heals by itself, acknowledged is stored once, every queue has the log's
 * order, and the replicas are equal.
 *
 * `PARLEY_FAULT_SEEDS=5 PARLEY_FAULT_SECONDS=120 npx vitest run test/scenario/faults.test.ts` takes five new seeds for two
 * minutes each; `PARLEY_FAULT_FROM` is the first of them.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestCluster } from "../support/cluster.ts";
import { faultSchedule, runFaults } from "../support/fault-schedule.ts";
import { until } from "../support/load.ts";
import { startPostgres, type TestPostgres } from "../support/postgres.ts";
import { startRedis, type TestRedis } from "../support/redis.ts";

const nodeCount = 3;
/** Found bugs, or stand for the ordinary case. */
const pinned: { seed: number; why: string; seconds?: number }[] = [{ seed: 1, why: "the ordinary case" }];
const newSeeds = Number(process.env["PARLEY_FAULT_SEEDS"] ?? 0);
const firstSeed = Number(process.env["PARLEY_FAULT_FROM"] ?? 1000);
const seconds = Number(process.env["PARLEY_FAULT_SECONDS"] ?? 15);
const schedules =
  newSeeds > 0 ? Array.from({ length: newSeeds }, (_, index) => ({ seed: firstSeed + index, why: "new" })) : pinned;

let redis: TestRedis;
let postgres: TestPostgres;
let cluster: TestCluster;
beforeAll(async () => {
  [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
  cluster = await TestCluster.start({ databaseUrl: postgres.url, redisUrl: redis.url, hasWires: true });
}, 120_000);
afterAll(async () => {
  await cluster?.stop();
  await Promise.all([redis?.stop(), postgres?.stop()]);
}, 60_000);

describe("PostgreSQL restarts under load", () => {
  it.each(["fast", "immediate"] as const)(
    "in mode %s: sends resume, and nothing acknowledged is lost",
    async (mode) => {
      await cluster.survive({ queues: 30, senders: 12 }, async (acknowledged) => {
        await postgres.restart(mode);
        const goal = acknowledged() + 100;
        await until("sends to resume", () => acknowledged() >= goal, 10_000);
      });
    },
    60_000,
  );
});

describe("a fault schedule", () => {
  it("is the same for the same seed", () => {
    expect(faultSchedule(7, 60_000, nodeCount)).toEqual(faultSchedule(7, 60_000, nodeCount));
    expect(faultSchedule(7, 60_000, nodeCount)).not.toEqual(faultSchedule(8, 60_000, nodeCount));
  });

  it.each(schedules)(
    "of seed $seed loses nothing and heals ($why)",
    async ({ seed }) => {
      const lines: string[] = [];
      const faults = faultSchedule(seed, seconds * 1000, nodeCount);
      try {
        const figures = await cluster.survive({ queues: 30, senders: 12 }, () =>
          runFaults(faults, { cluster, redis, postgres }, (line) => lines.push(line)),
        );
        if (newSeeds > 0) console.log(`seed ${seed}: ${faults.length} faults, ${JSON.stringify(figures)}`);
      } catch (error) {
        console.log(lines.join("\n"));
        for (const [index, node] of cluster.nodes.entries()) console.log(`node ${index}: ${node.output()}`);
        throw error;
      }
    },
    (seconds + 180) * 1000,
  );
});
