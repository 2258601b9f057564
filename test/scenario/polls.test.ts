/**
 * Polls while PostgreSQL fails, and fails again before the queues are back: each is answered, and none waits where no
 * event comes any more.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, type Sql } from "../../storage/postgres.ts";
import { type ApiClient, expectSuccess } from "../support/client/api.ts";
import { TestCluster } from "../support/faults/cluster.ts";
import { Poller } from "../support/faults/load.ts";
import { writeLogAnew } from "../support/faults/other-log.ts";
import { createTestDatabase, type TestDatabase } from "../support/server/postgres.ts";
import { startRedis, type TestRedis } from "../support/server/redis.ts";
import { until } from "../support/time/until.ts";

const queueCount = 150;
const nodeCount = 2;
/** How long a request may wait before it is told 503: short, since these tests wait for it. */
const deadlineMs = 8000;

let redis: TestRedis;
let database: TestDatabase;
let cluster: TestCluster;
beforeAll(async () => {
  [redis, database] = await Promise.all([startRedis(), createTestDatabase()]);
  cluster = await TestCluster.start({
    databaseUrl: database.url,
    redisUrl: redis.url,
    hasWires: true,
    nodeCount,
    // A little of the log in memory: what is older is read from PostgreSQL.
    environment: { PARLEY_COMMAND_DEADLINE_MS: String(deadlineMs), PARLEY_RECENT_MAX_BYTES: "10000" },
  });
}, 300_000);
afterAll(async () => {
  await cluster?.stop();
  await Promise.all([database?.drop(), redis?.stop()]);
}, 300_000);

/** Does something on the database, past the nodes' wires. */
async function onDatabase(work: (sql: Sql) => Promise<void>): Promise<void> {
  const session = connect(database.url, { maxConnections: 1 });
  try {
    await work(session.sql);
  } finally {
    await session.close();
  }
}

const sumOf = async (metric: string): Promise<number> => {
  const counts = await Promise.all(cluster.nodes.map((_, index) => cluster.metric(index, metric)));
  return counts.reduce((sum, count) => sum + count, 0);
};

/** Queues for what `say` says, each with a client that goes on to the next node when one says that it cannot. */
async function registerAll(count: number): Promise<Poller[]> {
  const { clients } = cluster;
  const registration = { event_types: ["message"], narrow: [["topic", "polls"]] };
  const pollers: Poller[] = [];
  for (let index = 0; index < count; index++) {
    const order = [clients[index % nodeCount]!, clients[(index + 1) % nodeCount]!];
    const answer = expectSuccess(await order[0]!.post("/register", registration));
    pollers.push(new Poller(order, answer["queue_id"] as string, answer["last_event_id"] as number));
  }
  return pollers;
}

/** Whether all nodes say that nothing is wrong. */
async function isHealthy(): Promise<boolean> {
  const answers = await Promise.all(cluster.nodes.map(({ url }) => fetch(`${url}/health`)));
  return answers.every(({ ok }) => ok);
}

/** Sends until it is acknowledged. */
async function say(content: string): Promise<number> {
  let id: unknown;
  await until(
    "a send to be acknowledged",
    async () => {
      const message = { type: "channel", to: String(cluster.channelId), topic: "polls", content };
      for (const client of cluster.clients) {
        const { status, body } = await client.post("/messages", message);
        if (status === 200) id = body["id"];
        if (status === 200) return true;
      }
      return false;
    },
    300_000,
  );
  return id as number;
}

async function expectDelivered(pollers: readonly Poller[], id: number): Promise<void> {
  const isDone = (poller: Poller) => poller.lost !== undefined || poller.messageIds.includes(id);
  await until("every queue to have the message", () => pollers.every(isDone), 120_000);
  expect(pollers.flatMap(({ lost }) => lost ?? [])).toEqual([]);
  expect(pollers.flatMap(({ bugs }) => bugs)).toEqual([]);
}

describe("a poll", () => {
  it.each([
    ["its queue is looked for", "claim = claim + 1"],
    ["the log is read for it", "order by position desc limit"],
  ])(
    "is answered when one connection goes silent while %s",
    async (_, word) => {
      // The queue comes back on the other node.
      const [here, there] = cluster.clients as [ApiClient, ApiClient];
      const wire = cluster.wires[1]!.postgres;
      let isStranded = false;
      void wire.strandNext(word, "answers").then(() => {
        isStranded = true;
      });
      // Only the first time is a connection asked in words.
      while (!isStranded) {
        const answer = expectSuccess(await here.post("/register", { event_types: ["message"] }));
        await say(`older than what is in memory ${"x".repeat(9000)}`);
        const id = await say(`newest ${"x".repeat(9000)}`);
        const poller = new Poller([there], answer["queue_id"] as string, answer["last_event_id"] as number);
        poller.start();
        try {
          await expectDelivered([poller], id);
        } finally {
          await poller.stop();
        }
      }
      wire.restore();
      wire.release();
    },
    300_000,
  );

  it("is answered and finds its queue again when PostgreSQL fails once more while queues come back", async () => {
    const everywhere = (what: "cut" | "hang" | "restore") => {
      for (const { postgres } of cluster.wires) postgres[what]();
    };
    const pollers = await registerAll(queueCount);
    for (const poller of pollers) poller.start();
    try {
      await cluster.survive({ queues: 6, senders: 6 }, async (acknowledged) => {
        for (const second of ["cut", "hang"] as const) {
          const revived = await sumOf("parley_queues_revived_total");
          const failures = await sumOf("parley_writer_failures_total");
          const hasFailed = async () => (await sumOf("parley_writer_failures_total")) > failures;
          while (!(await hasFailed())) {
            // A node that gives the lease back just then fails no more, and nobody can take it.
            everywhere("cut");
            const isNoticed = async () => (await hasFailed()) || !(await isHealthy());
            await until("the failure to be noticed", isNoticed, 120_000);
            // Nobody can go on with what is known, so that queues have to come back.
            await onDatabase(writeLogAnew);
            everywhere("restore");
            await until(
              "the nodes to be well, or to load again",
              async () => (await hasFailed()) || isHealthy(),
              120_000,
            );
          }
          const areComing = async () => (await sumOf("parley_queues_revived_total")) > revived + 5;
          await until("queues to come back", areComing, 120_000);
          // Those that came back wait for events, the others are being looked for.
          everywhere(second);
          await until("the second failure to be noticed", async () => !(await isHealthy()), 120_000);
          everywhere("restore");
          const goal = acknowledged() + 100;
          await until("sends to go on", () => acknowledged() >= goal, 120_000);
        }
      });
      await expectDelivered(pollers, await say("for everybody"));
    } finally {
      await Promise.all(pollers.map((poller) => poller.stop()));
    }
  }, 600_000);
});
