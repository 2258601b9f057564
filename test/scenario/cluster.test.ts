/**
 * Many processes, one server: three nodes on one PostgreSQL and one Redis, one organization spread over all of them.
 * Faults by signal and by stopping a service. The checks are always the same. Acknowledged messages are stored once.
 * Every queue gets the history's messages, in its order, each once. The nodes' replicas are the same at the same place.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectSuccess } from "../support/client/api.ts";
import { TestCluster } from "../support/faults/cluster.ts";
import { runFile } from "../support/projects.ts";
import { createTestDatabase, type TestDatabase } from "../support/server/postgres.ts";
import { startRedis, type TestRedis } from "../support/server/redis.ts";
import { until } from "../support/time/until.ts";

runFile({ alsoOn: ["streams"] });

/** More than all waits of a test together, so that the one that takes too long says what it waits for. */
const limitMs = 400_000;

/** How often the writer sleeps in its test: `PARLEY_SLEEPS=9 npx vitest run test/scenario/cluster.test.ts -t slept`. */
const sleeps = Number(process.env["PARLEY_SLEEPS"] ?? 1);
/** More than the waits of one sleep. */
const sleepLimitMs = 60_000;

let redis: TestRedis;
let database: TestDatabase;
let cluster: TestCluster;

beforeAll(async () => {
  redis = await startRedis();
}, 300_000);
afterAll(() => redis.stop());

beforeEach(async () => {
  database = await createTestDatabase();
  cluster = await TestCluster.start({ databaseUrl: database.url, redisUrl: redis.url });
});
afterEach(async () => {
  await cluster.stop();
  await database.drop();
});

describe("three nodes", () => {
  it(
    "give every queue the same events in the same order, and let everybody read what they wrote",
    async () => {
      await cluster.survive({ queues: 300, senders: 16 }, async () => {
        const [a, b, c] = cluster.clients;
        const me = expectSuccess(await a!.get("/users/me"))["user_id"];
        const { id } = expectSuccess(
          await a!.post("/messages", { type: "direct", to: [me], content: "a note to myself" }),
        );
        expectSuccess(await a!.get(`/messages/${id as number}`));
        const made = expectSuccess(
          await b!.post("/users", { email: "new@example.com", password: "a fine password", full_name: "Newcomer" }),
        );
        expect(expectSuccess(await b!.get(`/users/${made["user_id"] as number}`))["user"]).toMatchObject({
          full_name: "Newcomer",
        });
        await until(
          "the third node to know the newcomer",
          async () => (await c!.get(`/users/${made["user_id"] as number}`)).status === 200,
        );
      });
    },
    limitMs,
  );

  it(
    "go on without the writer's node when it is killed",
    async () => {
      await cluster.survive({ queues: 60, senders: 16 }, async (acknowledged) => {
        const index = await cluster.someWriter();
        await cluster.nodes[index]!.kill();
        const before = acknowledged();
        await until("sends to resume", () => acknowledged() > before + 5);
        await cluster.startAgain(index);
      });
    },
    limitMs,
  );

  it(
    "refuse the late commits of a writer that slept through the end of its lease",
    async () => {
      await cluster.survive({ queues: 30, senders: 12 }, async (acknowledged) => {
        for (let slept = 0; slept < sleeps; slept++) {
          const index = await cluster.someWriter();
          cluster.nodes[index]!.signal("SIGSTOP");
          const before = acknowledged();
          await until("a new writer to commit", () => acknowledged() > before + 50);
          cluster.nodes[index]!.signal("SIGCONT");
          // It may soon have the realm back, from its successor, where it should be written.
          await until("one node to write, and no other to think so", async () => (await cluster.writerCount()) === 1);
        }
      });
    },
    limitMs + sleeps * sleepLimitMs,
  );

  it(
    "lose nothing when Redis forgets everything and when it restarts",
    async () => {
      await cluster.survive({ queues: 30, senders: 12 }, async (acknowledged) => {
        for (const forget of [() => redis.flush(), () => redis.restart()]) {
          await forget();
          const goal = acknowledged() + 100;
          await until("sends after Redis came back empty", () => acknowledged() >= goal);
        }
      });
    },
    limitMs,
  );

  it(
    "hand over before a node that is told to stop exits",
    async () => {
      await cluster.survive({ queues: 30, senders: 8 }, async (acknowledged) => {
        const index = await cluster.someWriter();
        expect(await cluster.nodes[index]!.stop()).toBe(0);
        const goal = acknowledged() + 50;
        await until("sends after the hand-over", () => acknowledged() >= goal);
        await cluster.startAgain(index);
      });
    },
    limitMs,
  );
});
