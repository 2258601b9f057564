/**
 * Faults at random, from a seed, one over the other, under load. Nodes are killed and paused, wires cut, and single
 * connections silent. Redis is flushed and restarted. PostgreSQL is restarted, full or read-only. Clocks are set, and
 * nobody reads the logs. Meanwhile no poll waits past its heartbeat, and nothing is answered 500. Afterwards everything
 * heals by itself, acknowledged is stored once, every queue has the log's order, and the replicas are equal. The long
 * form tells for how long nothing was acknowledged, by kind of fault.
 *
 * `PARLEY_FAULT_SEEDS=5 PARLEY_FAULT_SECONDS=120 npx vitest run test/scenario/faults.test.ts` takes five new seeds for
 * two minutes each as well, and all that found something; `PARLEY_FAULT_FROM` is the first new one.
 */
import { randomInt } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestCluster } from "../support/faults/cluster.ts";
import { allKinds, faultSchedule, firstKinds, type Happened, runFaults } from "../support/faults/fault-schedule.ts";
import { Silences } from "../support/faults/silences.ts";
import { startPostgres, type TestPostgres } from "../support/server/postgres.ts";
import { startRedis, type TestRedis } from "../support/server/redis.ts";
import { until } from "../support/time/until.ts";

const nodeCount = 3;
const shortSeconds = 15;
/** Characters of what a node and PostgreSQL printed, from the end, that are told when a seed finds something. */
const outputShown = 20_000;
/** The longer ones are for the long form. */
interface Schedule {
  seed: number;
  seconds: number;
  why: string;
  kinds?: typeof allKinds;
}
const pinned: Schedule[] = [
  { seed: 12, seconds: shortSeconds, why: "a little of everything", kinds: firstKinds },
  { seed: 220, seconds: shortSeconds, why: "the writer paused and killed twice", kinds: firstKinds },
  {
    seed: 1000,
    seconds: 60,
    why: "a rollback on a lost connection, and an answer before its request, ended a process",
    kinds: firstKinds,
  },
  {
    seed: 1002,
    seconds: 60,
    why: "a connection lost while it asked for array types ended a process",
    kinds: firstKinds,
  },
  {
    seed: 2001,
    seconds: 75,
    why: "PostgreSQL could not have its port back from a client connected to itself",
    kinds: firstKinds,
  },
];
const newSeeds = Number(process.env["PARLEY_FAULT_SEEDS"] ?? 0);
const firstSeed = Number(process.env["PARLEY_FAULT_FROM"] ?? randomInt(2 ** 31));
const newSeconds = Number(process.env["PARLEY_FAULT_SECONDS"] ?? 120);
const schedules: Schedule[] = [
  ...pinned.filter(({ seconds }) => newSeeds > 0 || seconds <= shortSeconds),
  ...Array.from({ length: newSeeds }, (_, index) => ({ seed: firstSeed + index, seconds: newSeconds, why: "new" })),
];

let redis: TestRedis;
let postgres: TestPostgres;
let cluster: TestCluster;
beforeAll(async () => {
  [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
  cluster = await TestCluster.start({
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    hasWires: true,
    hasClock: true,
    // So that a log that nobody reads fills its pipe.
    ...(newSeeds > 0 && { environment: { PARLEY_LOG_LEVEL: "debug" } }),
  });
}, 300_000);
afterAll(async () => {
  await cluster?.stop();
  await Promise.all([redis?.stop(), postgres?.stop()]);
});

describe("PostgreSQL restarts under load", () => {
  it.each(["fast", "immediate"] as const)(
    "in mode %s: sends resume, and nothing acknowledged is lost",
    async (mode) => {
      await cluster.survive({ queues: 30, senders: 12 }, async (acknowledged) => {
        await postgres.restart(mode);
        const goal = acknowledged() + 100;
        await until("sends to resume", () => acknowledged() >= goal);
      });
    },
    240_000,
  );
});

describe("a fault schedule", () => {
  it("is the same for the same seed", () => {
    expect(faultSchedule(7, 60_000, nodeCount)).toEqual(faultSchedule(7, 60_000, nodeCount));
    expect(faultSchedule(7, 60_000, nodeCount)).not.toEqual(faultSchedule(8, 60_000, nodeCount));
  });

  const silences = new Silences();
  afterAll(() => {
    if (newSeeds > 0) console.log(silences.table());
  });
  for (const { seed, seconds, why, kinds } of schedules) {
    const title = `of seed ${seed}, ${seconds} s, loses nothing and heals (${why})`;
    it(title, () => run(seed, seconds, kinds ?? allKinds), (seconds + 600) * 1000);
  }

  async function run(seed: number, seconds: number, kinds: typeof allKinds): Promise<void> {
    const lines: string[] = [];
    const faults = faultSchedule(seed, seconds * 1000, nodeCount, kinds);
    let happened: Happened[] = [];
    try {
      const figures = await cluster.survive({ queues: 30, senders: 12 }, async () => {
        happened = await runFaults(faults, { cluster, redis, postgres }, (line) => lines.push(line));
      });
      silences.add(figures.acknowledgedAt, happened);
      const { acknowledged, longestSilenceMs, latestDeliveryMs } = figures;
      const told = `${acknowledged} acknowledged, longest silence ${longestSilenceMs} ms, latest delivery ${latestDeliveryMs} ms`;
      if (newSeeds > 0) console.log(`seed ${seed}: ${faults.length} faults, ${told}`);
    } catch (error) {
      const outputs = cluster.nodes.map((node, index) => `node ${index}: ${node.output().slice(-outputShown)}`);
      const stored = `PostgreSQL: ${(await postgres.log()).slice(-outputShown)}`;
      console.log([String(error), ...lines, ...outputs, stored].join("\n"));
      throw error;
    }
  }
});
