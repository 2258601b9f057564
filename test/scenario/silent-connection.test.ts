/**
 * One of a node's connections to PostgreSQL goes silent, the one that carries commits, and all others go on. A router
 * that forgot it does so. Sends go on within five seconds, on every node, and whoever waits is told what became of
 * theirs.
 */
import { afterAll, beforeAll, describe, it } from "vitest";
import { TestCluster } from "../support/faults/cluster.ts";
import { createTestDatabase, type TestDatabase } from "../support/server/postgres.ts";
import { startRedis, type TestRedis } from "../support/server/redis.ts";
import { until } from "../support/time/until.ts";

let redis: TestRedis;
let database: TestDatabase;
let cluster: TestCluster;
beforeAll(async () => {
  [redis, database] = await Promise.all([startRedis(), createTestDatabase()]);
  cluster = await TestCluster.start({ databaseUrl: database.url, redisUrl: redis.url, hasWires: true });
}, 300_000);
afterAll(async () => {
  await cluster?.stop();
  await Promise.all([database?.drop(), redis?.stop()]);
});

describe("one silent connection to PostgreSQL", () => {
  it.each(["questions", "answers"] as const)(
    "whose %s get lost: sends go on, acknowledged is stored, and what was refused never is",
    async (lost) => {
      await cluster.survive({ queues: 12, senders: 9 }, async (acknowledged) => {
        const wire = cluster.wires[await cluster.strandNext(" says ", lost)]!.postgres;
        const before = acknowledged();
        // Nothing is committed until that commit is given up. Without a deadline of its own this would last as long as
        // the silence. Its writer may be handing over just then, so it is not always a failure that is counted.
        await until("sends to go on", () => acknowledged() > before + 100);
        // Late, but it comes: it must not be stored any more.
        wire.release();
        const goal = acknowledged() + 100;
        await until("sends to go on further", () => acknowledged() >= goal);
      });
    },
    180_000,
  );
});
