/**
 * A send that carries its queue and an id of its client's own is stored once, however often and wherever it is
 * repeated.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiClient, type ApiResponse, expectSuccess } from "../support/client/api.ts";
import { TestCluster } from "../support/faults/cluster.ts";
import { createTestDatabase, type TestDatabase } from "../support/server/postgres.ts";
import { startRedis, type TestRedis } from "../support/server/redis.ts";

let redis: TestRedis;
let database: TestDatabase;
let cluster: TestCluster;
let queueId: string;
beforeAll(async () => {
  [redis, database] = await Promise.all([startRedis(), createTestDatabase()]);
  // As little of the log as there may be is read when an organization is loaded.
  const environment = { PARLEY_RECENT_MAX_BYTES: "10000" };
  cluster = await TestCluster.start({ databaseUrl: database.url, redisUrl: redis.url, hasWires: true, environment });
  const body = expectSuccess(await cluster.clients[0]!.post("/register", { event_types: ["message"] }));
  queueId = body["queue_id"] as string;
}, 300_000);
afterAll(async () => {
  await cluster?.stop();
  await Promise.all([database?.drop(), redis?.stop()]);
});

const send = (client: ApiClient, content: string, localId?: string): Promise<ApiResponse> =>
  client.post("/messages", {
    type: "channel",
    to: String(cluster.channelId),
    topic: "once",
    content,
    ...(localId !== undefined && { queue_id: queueId, local_id: localId }),
  });

/** Sends again until it is told the id, as a client does. */
async function sendUntilTold(client: ApiClient, content: string, localId: string): Promise<number> {
  for (;;) {
    const answer = await send(client, content, localId);
    if (answer.status === 200) return answer.body["id"] as number;
    expect(answer.status, answer.text).toBe(503);
  }
}

async function expectStoredOnce(content: string, ids: readonly number[]): Promise<void> {
  const narrow = [{ operator: "topic", operand: "once" }];
  const { messages } = expectSuccess(
    await cluster.clients[0]!.get("/messages", {
      anchor: "newest",
      num_before: 1000,
      num_after: 0,
      apply_markdown: false,
      narrow,
    }),
  ) as { messages: { id: number; content: string }[] };
  expect(messages.filter((message) => message.content === content)).toHaveLength(1);
  const { id } = messages.find((message) => message.content === content)!;
  expect(ids).toEqual(ids.map(() => id));
}

describe("a send that is repeated", () => {
  it("twelve times at once, over all nodes, is stored once", async () => {
    const clients = Array.from({ length: 4 }, () => cluster.clients).flat();
    const ids = await Promise.all(clients.map((client) => sendUntilTold(client, "at once", "1")));
    await expectStoredOnce("at once", ids);
  });

  it("after its commit hung is stored once", async () => {
    const hung = cluster.strandNext("into a silent wire", "answers");
    const first = sendUntilTold(cluster.clients[0]!, "into a silent wire", "2");
    await hung;
    const others = cluster.clients.map((client) => sendUntilTold(client, "into a silent wire", "2"));
    await expectStoredOnce("into a silent wire", await Promise.all([first, ...others]));
  }, 300_000);

  it("long after, when every node has died meanwhile, is stored once", async () => {
    const before = await sendUntilTold(cluster.clients[0]!, "before the crash", "3");
    await Promise.all(Array.from({ length: 20 }, (_, index) => send(cluster.clients[index % 3]!, "x".repeat(2000))));
    await Promise.all(cluster.nodes.map((node) => node.kill()));
    await Promise.all(cluster.nodes.map((_, index) => cluster.startAgain(index)));
    const after = await Promise.all(cluster.clients.map((client) => sendUntilTold(client, "before the crash", "3")));
    await expectStoredOnce("before the crash", [before, ...after]);
  }, 300_000);
});
