/**
 * A node of the version before beside one of this version, on one database, as while a cluster is updated node by node.
 * Either writes for a while, and each knows all that was changed by the other.
 */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../storage/embedded-postgres/port.ts";
import { ApiClient, expectSuccess, type JsonObject } from "../support/client/api.ts";
import { dataFolder } from "../support/server/folder.ts";
import { buildOlder, neighbour } from "../support/server/older-build.ts";
import { createTestDatabase, type TestDatabase } from "../support/server/postgres.ts";
import { startRedis, type TestRedis } from "../support/server/redis.ts";
import { type ServerProcess, startServerProcess } from "../support/server/server-process.ts";
import { until } from "../support/time/until.ts";

const commit = await neighbour();
/** Another build is made first. */
const limitMs = 900_000;

describe.runIf(commit !== undefined)("a node of the version before and one of this version", () => {
  let redis: TestRedis;
  let database: TestDatabase;
  let folder: string;
  let built: Awaited<ReturnType<typeof buildOlder>>;
  let [older, newer]: ServerProcess[] = [];
  let owner: { email: string; apiKey: string };
  let count = 0;

  const environment = async () => ({
    PORT: String(await freePort()),
    PARLEY_DATA_DIR: folder,
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
  });

  beforeAll(async () => {
    [redis, database, folder, built] = await Promise.all([
      startRedis(),
      createTestDatabase(),
      dataFolder("neighbours"),
      buildOlder(commit!),
    ]);
    older = await startServerProcess(await environment(), built.command);
    const zuliprc = await readFile(join(folder, "owner.zuliprc"), "utf8");
    const told = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(zuliprc)![1]!;
    owner = { email: told("email"), apiKey: told("key") };
    // It migrates the database under the older one.
    newer = await startServerProcess(await environment());
  }, limitMs);
  afterAll(async () => {
    await Promise.all([older?.stop(), newer?.stop()]);
    await database?.drop();
    await redis?.stop();
    for (const path of [folder, built?.folder]) if (path) await rm(path, { recursive: true, force: true });
  }, limitMs);

  const clientOf = (server: ServerProcess | undefined) => new ApiClient({ url: server!.url, ...owner });
  const register = async (client: ApiClient) => {
    const { queue_id, last_event_id } = expectSuccess(await client.post("/register", {}));
    return { queue_id: queue_id as string, last_event_id: last_event_id as number };
  };
  /** Types of the events from now on, until a message with this content comes. */
  const eventsUntil = async (client: ApiClient, queue: { queue_id: string; last_event_id: number }, last: string) => {
    const types: string[] = [];
    let isDone = false;
    await until(`"${last}" to come`, async () => {
      const { events } = expectSuccess(await client.get("/events", { ...queue, dont_block: true }));
      for (const event of events as (JsonObject & { id: number; message?: { content: string } })[]) {
        queue.last_event_id = event.id;
        if (event["type"] !== "heartbeat" && event["type"] !== "presence") types.push(`${event["type"]}`);
        isDone ||= event.message?.content === last;
      }
      return isDone;
    });
    return types;
  };
  /** Changes of many kinds. @returns what the last message says */
  const change = async (client: ApiClient): Promise<string> => {
    const name = `neighbours ${++count}`;
    const done = async (answer: ReturnType<ApiClient["post"]>) => expectSuccess(await answer);
    await done(client.post("/users/me/subscriptions", { subscriptions: [{ name }] }));
    const message = { type: "channel", to: name, topic: "versions" };
    const { id } = await done(client.post("/messages", { ...message, content: "first" }));
    await done(client.patch(`/messages/${id as number}`, { content: "edited" }));
    await done(client.post(`/messages/${id as number}/reactions`, { emoji_name: "tada" }));
    await done(client.post("/messages/flags", { messages: [id as number], op: "add", flag: "starred" }));
    await done(client.post("/users/me/status", { status_text: name }));
    await done(client.patch("/settings", { twenty_four_hour_time: count % 2 === 0 }));
    await done(client.patch("/realm", { description: name }));
    await done(client.post("/user_groups/create", { name, description: name, members: [] }));
    await done(client.post("/users", { email: `n${count}@example.com`, full_name: name, password: "a fine password" }));
    await done(client.post("/messages", { ...message, content: `last of ${name}` }));
    return `last of ${name}`;
  };

  it.each([
    ["the older", () => older],
    ["the newer", () => newer],
  ])(
    "have the same events of what is changed on %s",
    async (_which, at) => {
      const clients = [clientOf(older), clientOf(newer)];
      const queues = await Promise.all(clients.map(register));
      // What came between the two registrations only one of them has.
      const content = `begin ${++count}`;
      expectSuccess(
        await clientOf(at()).post("/messages", { type: "channel", to: "general", topic: "begin", content }),
      );
      await Promise.all(clients.map((client, index) => eventsUntil(client, queues[index]!, content)));
      const last = await change(clientOf(at()));
      const [one, other] = await Promise.all(clients.map((client, index) => eventsUntil(client, queues[index]!, last)));
      expect(one).toEqual(other);
      expect(one!.length).toBeGreaterThan(10);
    },
    limitMs,
  );

  it(
    "are enough alone: a queue of the older one goes on at the newer one",
    async () => {
      const queue = await register(clientOf(older));
      await older!.kill();
      // What was on its way to the one that wrote may be refused.
      const status = { status_text: "the other one is gone" };
      await until("the newer one to write", async () => {
        const answer = await clientOf(newer).post("/users/me/status", status);
        return answer.status === 200;
      });
      const last = await change(clientOf(newer));
      expect((await eventsUntil(clientOf(newer), queue, last)).length).toBeGreaterThan(10);
      for (const server of [older, newer]) expect(server!.output()).not.toMatch(/"level":60|TypeError/);
    },
    limitMs,
  );
});
