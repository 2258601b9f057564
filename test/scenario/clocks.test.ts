/** Somebody sets the clock of the machine under a server that runs. */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiClient, expectSuccess } from "../support/client/api.ts";
import { TestCluster } from "../support/faults/cluster.ts";
import { Poller } from "../support/faults/load.ts";
import { dataFolder } from "../support/server/folder.ts";
import { createTestDatabase, type TestDatabase } from "../support/server/postgres.ts";
import { startRedis, type TestRedis } from "../support/server/redis.ts";
import { until } from "../support/time/until.ts";

const clock = new URL("../support/server/set-clock.mjs", import.meta.url).href;
/** Each queue is looked at once a second. */
const lookedAtWithinMs = 1200;
const hourSecs = 3600;
const daySecs = 86_400;

let redis: TestRedis;
let database: TestDatabase;
let cluster: TestCluster;
let folder: string;
let client: ApiClient;
beforeAll(async () => {
  [redis, database, folder] = await Promise.all([startRedis(), createTestDatabase(), dataFolder("clock")]);
  const environment = { NODE_OPTIONS: `--import ${clock}`, TEST_CLOCK: join(folder, "ahead") };
  cluster = await TestCluster.start({ databaseUrl: database.url, redisUrl: redis.url, environment, nodeCount: 2 });
  client = cluster.clients[0]!;
}, 300_000);
afterAll(async () => {
  await cluster?.stop();
  await Promise.all([database?.drop(), redis?.stop(), rm(folder, { recursive: true, force: true })]);
});

const send = (content: string, by: ApiClient = client) =>
  by.post("/messages", { type: "channel", to: String(cluster.channelId), topic: "clocks", content });

/** Sets the clock of all nodes, and waits until they go by it. */
async function setClock(aheadSecs: number): Promise<void> {
  await writeFile(join(folder, "ahead"), String(aheadSecs));
  const now = Date.now() / 1000 + aheadSecs;
  for (const node of cluster.clients)
    await until("the node to go by its new clock", async () => {
      const body = expectSuccess(await node.get("/realm/presence"));
      return Math.abs((body["server_timestamp"] as number) - now) < 120;
    });
}

describe("a clock that is set", () => {
  it.each([
    ["an hour ahead", hourSecs],
    ["back again", 0],
    ["ten days ahead", 10 * daySecs],
    ["two days back", -2 * daySecs],
    ["a year back", -365 * daySecs],
  ])(
    "%s: queues go on, and changes are taken on every node",
    async (_, aheadSecs) => {
      const pollers: Poller[] = [];
      for (const node of cluster.clients) {
        // The shortest time-out that there is would be over many times.
        const body = expectSuccess(await node.post("/register", { event_types: ["message"], idle_queue_timeout: 30 }));
        pollers.push(new Poller([node], body["queue_id"] as string, body["last_event_id"] as number));
      }
      const mine = expectSuccess(await client.post("/register", { event_types: ["realm"], idle_queue_timeout: 30 }));
      const seldom = { queue_id: mine["queue_id"], last_event_id: mine["last_event_id"] };
      for (const poller of pollers) poller.start();
      try {
        await setClock(aheadSecs);
        // Between two polls every queue is looked at.
        for (let polls = 0; polls < 3; polls++) {
          await delay(lookedAtWithinMs);
          expectSuccess(await client.get("/events", { ...seldom, dont_block: true }));
        }
        for (const [index, node] of cluster.clients.entries()) {
          const content = `${aheadSecs} by ${index}`;
          expectSuccess(await send(content, node));
          await until("each queue to have it", () =>
            pollers.every(
              ({ contents, lost }) =>
                lost !== undefined || contents.includes(`<p>${content}</p>`) || contents.includes(content),
            ),
          );
        }
        expect(pollers.map(({ lost }) => lost)).toEqual(pollers.map(() => undefined));
      } finally {
        await Promise.all(pollers.map((poller) => poller.stop()));
      }
    },
    300_000,
  );
});
