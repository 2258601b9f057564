/**
 * Redis is gone, or says nothing more: every node goes on taking changes, of which the one that writes hears by way of
 * PostgreSQL. When that one is gone too, PostgreSQL alone decides who follows it. Only one can begin the next term, and
 * nothing more is stored under the one before.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiClient, expectSuccess } from "../support/client/api.ts";
import { TestCluster } from "../support/faults/cluster.ts";
import { checkHistory } from "../support/faults/history.ts";
import { Poller, Sender } from "../support/faults/load.ts";
import { createTestDatabase, type TestDatabase } from "../support/server/postgres.ts";
import { startRedis, type TestRedis } from "../support/server/redis.ts";
import { until } from "../support/time/until.ts";

let redis: TestRedis;
let database: TestDatabase;
let cluster: TestCluster;
beforeAll(async () => {
  [redis, database] = await Promise.all([startRedis(), createTestDatabase()]);
  cluster = await TestCluster.start({ databaseUrl: database.url, redisUrl: redis.url });
}, 300_000);
afterAll(async () => {
  await cluster?.stop();
  await Promise.all([database?.drop(), redis?.stop()]);
});

async function pollAt(client: ApiClient): Promise<Poller> {
  const { queue_id, last_event_id } = expectSuccess(await client.post("/register", { event_types: ["message"] }));
  const poller = new Poller([client], queue_id as string, last_event_id as number);
  poller.start();
  return poller;
}

/** How many more sends of each sender are acknowledged: more than a connection that is silent is believed in. */
const sendsWithout = 100;

describe("without Redis", () => {
  it.each(["silent", "killed"] as const)(
    "that is %s every node takes changes, refuses what it should, and says of each what became of it",
    async (how) => {
      await cluster.someWriter();
      const place = { channelId: cluster.channelId, topic: `without Redis, ${how}` };
      const pollers = await Promise.all(cluster.clients.map(pollAt));
      // Each stays with a node of its own.
      const senders = cluster.clients.flatMap((client, node) =>
        [0, 1, 2].map((number) => new Sender(`node ${node}, ${number}`, [client], place)),
      );
      const goOn = async (times: number) => {
        const before = senders.map(({ acknowledgedCount }) => acknowledgedCount);
        const haveAll = () =>
          senders.every(({ acknowledgedCount }, index) => acknowledgedCount > before[index]! + times);
        await until("everybody to go on sending", haveAll, 120_000);
      };
      for (const sender of senders) sender.start();
      try {
        await goOn(5);
        if (how === "killed") await redis.kill();
        else process.kill(redis.pid!, "SIGSTOP");
        await goOn(sendsWithout);
        for (const client of cluster.clients) {
          const nowhere = { type: "channel", to: "999999", topic: "t", content: "nowhere" };
          const { status, body } = await client.post("/messages", nowhere);
          expect([status, body["code"]]).toEqual([400, "STREAM_DOES_NOT_EXIST"]);
        }
        // A balancer that took them out for it would leave one to do the work of all.
        for (const { url } of cluster.nodes)
          await until("each to be well", async () => (await fetch(`${url}/health`)).ok);
        if (how === "killed") await redis.restart();
        else process.kill(redis.pid!, "SIGCONT");
        await goOn(5);
      } finally {
        await Promise.all(senders.map((sender) => sender.stop()));
      }
      const unknown = senders.flatMap(({ sent }) => sent.filter(({ isUnknown }) => isUnknown));
      expect(unknown, "sends of which nobody said what became of them").toEqual([]);
      await checkHistory(cluster.clients[0]!, place, senders, pollers);
      await Promise.all(pollers.map((poller) => poller.stop()));
    },
    300_000,
  );
});

/** Sends after which a fault is taken to be over: more than were under way when it began. */
const manySends = 50;

describe("without Redis and the node that wrote", () => {
  it.each(["killed", "asleep"] as const)(
    "that is %s another one writes, by PostgreSQL alone, and all goes on when Redis is back",
    async (how) => {
      await cluster.survive({ queues: 9, senders: 9 }, async (acknowledged) => {
        const goOn = async (what: string) => {
          const goal = acknowledged() + manySends;
          await until(`sends to go on ${what}`, () => acknowledged() >= goal, 120_000);
        };
        await redis.kill();
        await goOn("without Redis");
        const writer = await cluster.someWriter();
        const node = cluster.nodes[writer]!;
        if (how === "killed") await node.kill();
        else node.signal("SIGSTOP");
        await goOn("without the writer");
        expect(await cluster.someWriter()).not.toBe(writer);
        await redis.restart();
        if (how === "killed") await cluster.startAgain(writer);
        else node.signal("SIGCONT");
        await goOn("as before");
      });
      await until("one node to write", async () => (await cluster.writerCount()) === 1, 60_000);
    },
    300_000,
  );
});
