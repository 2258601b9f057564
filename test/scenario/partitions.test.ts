/**
 * One node of three is cut from Redis, or from PostgreSQL, which the others go on reaching: refused at once, or left
 * without any answer. Nodes talk to each other through these two and no other way. So a node cut from the other nodes
 * only is one cut from Redis: no message and no batch of the log passes. Each time the rest serves on, and the node
 * says honestly what it cannot do and does what it can. When the wire is whole again it heals without a person. Nothing
 * is lost meanwhile.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiClient, type ApiResponse, expectSuccess } from "../support/client/api.ts";
import { TestCluster } from "../support/faults/cluster.ts";
import { Poller } from "../support/faults/load.ts";
import { createTestDatabase, type TestDatabase } from "../support/server/postgres.ts";
import { startRedis, type TestRedis } from "../support/server/redis.ts";
import { until } from "../support/time/until.ts";

/** How long a request may wait before it is told 503: short, since these tests wait for it. */
const deadlineMs = 6000;
const sizes = { queues: 15, senders: 9 };

let redis: TestRedis;
let database: TestDatabase;
let cluster: TestCluster;
beforeAll(async () => {
  [redis, database] = await Promise.all([startRedis(), createTestDatabase()]);
  const environment = { PARLEY_COMMAND_DEADLINE_MS: String(deadlineMs) };
  cluster = await TestCluster.start({ databaseUrl: database.url, redisUrl: redis.url, hasWires: true, environment });
}, 300_000);
afterAll(async () => {
  await cluster?.stop();
  await Promise.all([database?.drop(), redis?.stop()]);
});

const send = (client: ApiClient, content: string): Promise<ApiResponse> =>
  client.post("/messages", { type: "channel", to: String(cluster.channelId), topic: "partition", content });

const readNewest = (client: ApiClient): Promise<ApiResponse> =>
  client.get("/messages", { anchor: "newest", num_before: 1, num_after: 0 });

/** The number of the node in that role. */
async function findNode(role: string): Promise<number> {
  const writer = await cluster.someWriter();
  return role === "the writer" ? writer : (writer + 1) % cluster.nodes.length;
}

function expectUnavailable(answer: ApiResponse): void {
  expect([answer.status, answer.body["code"]], answer.text).toEqual([503, "SERVICE_UNAVAILABLE"]);
  expect(answer.headers.get("Retry-After")).toBe("1");
}

/** A poller of the topic of these tests' own messages, which stays with one node. */
async function pollAt(client: ApiClient): Promise<Poller> {
  const narrow = [["topic", "partition"]];
  const { queue_id, last_event_id } = expectSuccess(
    await client.post("/register", { event_types: ["message"], narrow, idle_queue_timeout: 600 }),
  );
  const poller = new Poller([client], queue_id as string, last_event_id as number);
  poller.start();
  return poller;
}

describe.each(["the writer", "a follower"])("%s", (role) => {
  /**
   * Breaks a wire of the node in the middle of a load, in either way. Has `look` look at the node, and waits until it
   * has healed.
   */
  const partition = (
    service: "redis" | "postgres",
    look: (node: ApiClient, other: ApiClient, poller: Poller) => Promise<void>,
  ) =>
    cluster.survive(sizes, async (acknowledged) => {
      for (const fault of ["cut", "hang"] as const) {
        const index = await findNode(role);
        const node = cluster.clients[index]!;
        const other = cluster.clients[(index + 2) % cluster.nodes.length]!;
        const wire = cluster.wires[index]![service];
        const poller = await pollAt(node);
        try {
          wire[fault]();
          const goal = acknowledged() + 10;
          await until("the others to send on", () => acknowledged() >= goal);
          await look(node, other, poller);
          wire.restore();
          await until("the node to send again", async () => (await send(node, "healed")).status === 200);
        } finally {
          wire.restore();
          await poller.stop();
        }
      }
    });

  it("without Redis reads, delivers from PostgreSQL's log, and hands changes to a writer that it knows of", async () => {
    await partition("redis", async (node, other, poller) => {
      const isTaken = async () => {
        const answer = await send(node, "while cut off");
        if (answer.status !== 200) expectUnavailable(answer);
        return answer.status === 200;
      };
      // Who wrote before does not know who writes now.
      if (role === "a follower") await until("sends to go by way of PostgreSQL", isTaken);
      else await isTaken();
      let id: unknown;
      // As the realm changes hands, one may be told that nobody knows.
      await until("a send from elsewhere", async () => {
        const { status, body } = await send(other, "from elsewhere");
        id = body["id"];
        return status === 200;
      });
      await until("the queue to have it", () => poller.messageIds.includes(id as number));
      await until("people to be read", async () => (await node.get("/users")).status === 200);
      await until("messages to be read", async () => (await readNewest(node)).status === 200);
    });
  }, 300_000);

  it("without PostgreSQL says so, and what needs none goes on", async () => {
    await partition("postgres", async (node, other, poller) => {
      const reading = readNewest(node);
      if (role === "the writer") expectUnavailable(await send(node, "refused"));
      else {
        // The deadline of these tests is short: on a busy machine an answer may come too late for it.
        await until("people to be read", async () => (await node.get("/users")).status === 200);
        // The writer is elsewhere, and has a database.
        await until("a change to be handed over", async () => (await send(node, "handed over")).status === 200);
        let id: unknown;
        await until("a send from elsewhere", async () => {
          const { status, body } = await send(other, "from elsewhere");
          id = body["id"];
          return status === 200;
        });
        await until("the queue to have it", () => poller.messageIds.includes(id as number));
      }
      expectUnavailable(await reading);
    });
  }, 300_000);
});
