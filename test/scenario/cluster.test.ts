/**
 * Many processes, one server: three nodes on one PostgreSQL and one Redis, one organization spread over all of them. Faults
 * by signal and by stopping a service; what is checked is always the same: acknowledged messages are stored once, and every
 * queue gets the history's messages, in its order, each once.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { freePort } from "../../storage/embedded-postgres.ts";
import { ApiClient, expectSuccess } from "../support/api.ts";
import { Poller, Sender, until } from "../support/load.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { startRedis } from "../support/redis.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";

type Redis = Awaited<ReturnType<typeof startRedis>>;
let redis: Redis;
let database: { url: string; drop(): Promise<void> };
let folder: string;
let nodes: ServerProcess[];
let environments: Record<string, string>[];
let apiKey: string;
let channelId: number;

beforeAll(async () => {
  redis = await startRedis();
}, 120_000);
afterAll(() => redis.stop());

beforeEach(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "parley-cluster-"));
  const common = { DATABASE_URL: database.url, REDIS_URL: redis.url, PARLEY_DATA_DIR: folder };
  environments = await Promise.all(
    Array.from({ length: 3 }, async () => ({ ...common, PORT: String(await freePort()) })),
  );
  nodes = [await startServerProcess(environments[0]!)];
  nodes.push(...(await Promise.all(environments.slice(1).map(startServerProcess))));
  apiKey = /^key=(.+)$/m.exec(await readFile(join(folder, "owner.zuliprc"), "utf8"))![1]!;
  channelId = expectSuccess(await clients()[0]!.get("/get_stream_id", { stream: "general" }))["stream_id"] as number;
}, 60_000);
afterEach(async () => {
  await Promise.all(nodes.map((node) => node.kill()));
  await database.drop();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

const clients = () => nodes.map(({ url }) => new ApiClient({ url, email: "owner@example.com", apiKey }));

/** Which node writes the organization, by its metrics. */
async function writer(): Promise<number> {
  for (const [index, { url }] of nodes.entries()) {
    try {
      if (/^parley_realms_written 1$/m.test(await (await fetch(`${url}/metrics`)).text())) return index;
    } catch {
      // It is down.
    }
  }
  return -1;
}

/** Runs a load over all nodes, does what `disturb` does in the middle, and checks what everybody got. */
async function survive(
  sizes: { queues: number; senders: number },
  disturb: (acknowledged: () => number) => Promise<void>,
): Promise<void> {
  const all = clients();
  const pollers: Poller[] = [];
  for (let index = 0; index < sizes.queues; index++) {
    const home = all[index % all.length]!;
    const answer = expectSuccess(
      await home.post("/register", {
        event_types: ["message"],
        narrow: [["channel", "general"]],
        idle_queue_timeout: 600,
      }),
    );
    // Each queue is polled where it was registered, and goes on elsewhere when that node is gone.
    const order = [home, ...all.filter((client) => client !== home)];
    pollers.push(new Poller(order, answer["queue_id"] as string, answer["last_event_id"] as number));
  }
  const senders = Array.from(
    { length: sizes.senders },
    (_, index) =>
      new Sender(`sender ${index}`, [...all.slice(index % all.length), ...all.slice(0, index % all.length)], {
        channelId,
        topic: "cluster",
      }),
  );
  const acknowledged = () => senders.reduce((sum, sender) => sum + sender.acknowledged.length, 0);
  for (const task of [...pollers, ...senders]) task.start();
  try {
    await until("the load to run", () => acknowledged() >= 100, 30_000);
    await disturb(acknowledged);
    const goal = acknowledged() + 200;
    await until("the load to go on", () => acknowledged() >= goal, 60_000);
    await Promise.all(senders.map((sender) => sender.stop()));
    await check(senders, pollers);
  } finally {
    await Promise.all([...senders, ...pollers].map((task) => task.stop()));
  }
}

async function check(senders: readonly Sender[], pollers: readonly Poller[]): Promise<void> {
  const history = await readHistory();
  const stored = new Map(history.map(({ id, content }) => [id, content]));
  expect(new Set(stored.values()).size, "a message is stored twice").toBe(history.length);
  const lost = senders
    .flatMap((sender) => sender.acknowledged)
    .filter(({ id, content }) => stored.get(id!) !== content);
  expect(lost, "acknowledged, but not in the history").toEqual([]);
  const ids = [...stored.keys()].sort((a, b) => a - b);
  const isDone = (poller: Poller) => poller.lost !== undefined || poller.messageIds.at(-1) === ids.at(-1);
  await until("every queue to have the last message", () => pollers.every(isDone), 60_000);
  for (const poller of pollers) {
    expect(poller.lost, "a queue was given up").toBeUndefined();
    expect(poller.messageIds, "the history's messages, in order, each once").toEqual(ids);
  }
}

async function readHistory(): Promise<{ id: number; content: string }[]> {
  const all: { id: number; content: string }[] = [];
  const client = clients()[await writer()] ?? clients()[0]!;
  for (let anchor = 0; ; anchor = all.at(-1)!.id + 1) {
    const narrow = [
      { operator: "channel", operand: channelId },
      { operator: "topic", operand: "cluster" },
    ];
    const body = expectSuccess(
      await client.get("/messages", { anchor, num_before: 0, num_after: 4000, apply_markdown: false, narrow }),
    );
    const page = body["messages"] as { id: number; content: string }[];
    all.push(...page.map(({ id, content }) => ({ id, content })));
    if (page.length < 4000) return all;
  }
}

/** Sends go through again within this time after their writer died. */
const failOverMs = 3000;

describe("three nodes", () => {
  it("give every queue the same events in the same order, and let everybody read what they wrote", async () => {
    await survive({ queues: 300, senders: 16 }, async () => {
      const [a, b, c] = clients();
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
        5000,
      );
    });
  }, 120_000);

  it("go on within three seconds when the writer's node is killed", async () => {
    await survive({ queues: 60, senders: 16 }, async (acknowledged) => {
      const index = await writer();
      expect(index).toBeGreaterThanOrEqual(0);
      await nodes[index]!.kill();
      const started = performance.now();
      const before = acknowledged();
      await until("sends to resume", () => acknowledged() > before + 5, 10_000);
      expect(performance.now() - started).toBeLessThan(failOverMs);
      nodes[index] = await startServerProcess(environments[index]!);
    });
  }, 120_000);

  it("refuse the late commits of a writer that slept through the end of its lease", async () => {
    await survive({ queues: 30, senders: 12 }, async (acknowledged) => {
      const index = await writer();
      nodes[index]!.signal("SIGSTOP");
      const before = acknowledged();
      await until("a new writer to commit", () => acknowledged() > before + 50, 30_000);
      nodes[index]!.signal("SIGCONT");
      await until("the old writer to follow", async () => (await writer()) !== index && (await writer()) >= 0, 10_000);
    });
  }, 120_000);

  it("lose nothing when Redis forgets everything and when it restarts", async () => {
    await survive({ queues: 30, senders: 12 }, async (acknowledged) => {
      await redis.restart();
      const goal = acknowledged() + 100;
      await until("sends after Redis came back empty", () => acknowledged() >= goal, 30_000);
    });
  }, 120_000);

  it("hand over before a node that is told to stop exits", async () => {
    await survive({ queues: 30, senders: 8 }, async (acknowledged) => {
      const index = await writer();
      expect(await nodes[index]!.stop()).toBe(0);
      const goal = acknowledged() + 50;
      await until("sends after the hand-over", () => acknowledged() >= goal, 10_000);
      nodes[index] = await startServerProcess(environments[index]!);
    });
  }, 120_000);
});
