/**
 * Redis is gone for good: every node goes on taking changes, of which the one that writes hears by way of PostgreSQL.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiClient, expectSuccess } from "../support/client/api.ts";
import { TestCluster } from "../support/faults/cluster.ts";
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
}, 120_000);
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

describe("without Redis", () => {
  it("every node takes changes, refuses what it should, and nothing is lost or stored twice", async () => {
    await cluster.someWriter();
    const place = { channelId: cluster.channelId, topic: "without Redis" };
    const pollers = await Promise.all(cluster.clients.map(pollAt));
    // Each stays with a node of its own.
    const senders = cluster.clients.flatMap((client, node) =>
      [0, 1, 2].map((number) => new Sender(`node ${node}, ${number}`, [client], place)),
    );
    const counts = () => senders.map(({ acknowledgedCount }) => acknowledgedCount);
    for (const sender of senders) sender.start();
    try {
      await until("everybody to send", () => counts().every((count) => count > 5), 30_000);
      await redis.kill();
      const before = counts();
      await until(
        "everybody to go on sending",
        () => counts().every((count, index) => count > before[index]! + 20),
        60_000,
      );
      for (const client of cluster.clients) {
        const refused = await client.post("/messages", {
          type: "channel",
          to: "999999",
          topic: "t",
          content: "nowhere",
        });
        expect([refused.status, refused.body["code"]]).toEqual([400, "STREAM_DOES_NOT_EXIST"]);
      }
    } finally {
      await Promise.all(senders.map((sender) => sender.stop()));
    }
    const silences = cluster.nodes.map((_, node) => {
      const times = senders
        .slice(3 * node, 3 * node + 3)
        .flatMap(({ acknowledged }) => acknowledged.map(({ acknowledgedAt }) => acknowledgedAt!))
        .sort((a, b) => a - b);
      return Math.round(Math.max(...times.slice(1).map((time, index) => time - times[index]!)));
    });
    if (process.env["PARLEY_FAULT_SEEDS"]) console.log(`longest silence by node, ms: ${silences.join(", ")}`);
    const all = senders.flatMap(({ acknowledged }) => acknowledged.map(({ id }) => id!)).sort((a, b) => a - b);
    expect(new Set(all).size).toBe(all.length);
    const isThere = (poller: Poller) => all.every((id) => poller.messageIds.includes(id));
    await until("every queue to have all", () => pollers.every(isThere), 30_000);
    for (const poller of pollers) expect(new Set(poller.contents).size).toBe(poller.contents.length);
    await Promise.all(pollers.map((poller) => poller.stop()));
  }, 180_000);
});
