/** What every implementation of `Bus` promises. */
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Bus, NodeInfo } from "../../../storage/cluster/bus.ts";
import { MemoryHub, memoryBus } from "../../../storage/cluster/bus-memory.ts";
import { redisBus } from "../../../storage/cluster/bus-redis.ts";
import { CoordinationUnavailable } from "../../../storage/cluster/lease.ts";
import { connectRedis, redisReady } from "../../../storage/cluster/redis.ts";
import { newInstallation, startRedis, type TestRedis, testRedis } from "../../support/server/redis.ts";
import { startTcpProxy } from "../../support/server/tcp-proxy.ts";
import { until } from "../../support/time/until.ts";

const redis = testRedis();

describe.each(["memory", "Redis"] as const)("a bus in %s", (kind) => {
  beforeEach(() => openBuses(kind));
  afterEach(() => Promise.all([a, b, c].map((bus) => bus.close())));

  it("carries a stream to every reader in the order appended, from the named place on", async () => {
    await a.append(stream, "before");
    const { place } = await b.end(stream);
    const [atB, atC]: [unknown[], unknown[]] = [[], []];
    b.follow(stream, place, (message) => atB.push(message));
    c.follow(stream, place, (message) => atC.push(message));
    const sent = Array.from({ length: 1200 }, (_, number) => ({ number, rows: [{ json: "{}" }] }));
    await appendAll(sent);
    await until("all of it", () => atB.length >= sent.length && atC.length >= sent.length);
    expect(atB).toEqual(sent);
    expect(atC).toEqual(sent);
  });

  it("brings a reader what was appended between the place it named and its coming", async () => {
    const { place } = await b.end(stream);
    await a.append(stream, 1);
    await a.append(stream, 2);
    const seen: unknown[] = [];
    b.follow(stream, place, (message) => seen.push(message));
    await a.append(stream, 3);
    await until("three messages", () => seen.length >= 3);
    expect(seen).toEqual([1, 2, 3]);
  });

  it("brings the writer its own batches too, so that places mean the same to everybody", async () => {
    const seen: unknown[] = [];
    a.follow(stream, (await a.end(stream)).place, (message) => seen.push(message));
    await a.append(stream, "mine");
    await until("my message", () => seen.length > 0);
    expect(seen).toEqual(["mine"]);
  });

  it("keeps streams apart", async () => {
    const seen: unknown[] = [];
    const other = `${stream}:other`;
    b.follow(stream, (await b.end(stream)).place, (message) => seen.push(["this", message]));
    b.follow(other, (await b.end(other)).place, (message) => seen.push(["other", message]));
    await a.append(stream, 1);
    await until("the first", () => seen.length >= 1);
    await a.append(other, 2);
    await until("the second", () => seen.length >= 2);
    expect(seen).toEqual([
      ["this", 1],
      ["other", 2],
    ]);
  });

  it("brings nothing more to a reader that stopped", async () => {
    const [stopped, going]: [unknown[], unknown[]] = [[], []];
    const { place } = await b.end(stream);
    const following = b.follow(stream, place, (message) => stopped.push(message));
    b.follow(stream, place, (message) => going.push(message));
    await a.append(stream, 1);
    await until("the first", () => stopped.length === 1 && going.length === 1);
    following.stop();
    await a.append(stream, 2);
    await until("the second", () => going.length === 2);
    expect(stopped).toEqual([1]);
  });

  it("forgets the oldest of a stream, not the newest", async () => {
    const { place } = await b.end(stream);
    const count = 12_000;
    await appendAll(Array.from({ length: count }, (_, index) => index));
    const seen: number[] = [];
    b.follow(stream, place, (message) => seen.push(message as number));
    await until("the newest", () => seen.at(-1) === count - 1);
    expect(seen.length).toBeLessThan(count);
    expect(seen).toEqual(Array.from({ length: seen.length }, (_, index) => count - seen.length + index));
  });

  it("takes a message to one node, once, and says from whom", async () => {
    const seen: unknown[] = [];
    b.onMessage((from, message) => seen.push(["b", from, message]));
    c.onMessage((from, message) => seen.push(["c", from, message]));
    expect(await a.send(b.nodeId, { kind: "do", args: { text: "grüße 🎉", list: [1, null, true] } })).toBe(true);
    expect(await a.send(b.nodeId, "last")).toBe(true);
    await until("both messages", () => seen.length >= 2);
    expect(seen).toEqual([
      ["b", a.nodeId, { kind: "do", args: { text: "grüße 🎉", list: [1, null, true] } }],
      ["b", a.nodeId, "last"],
    ]);
  });

  it("says when nobody is there to get a message", async () => {
    expect(await a.send(randomUUID(), "hello")).toBe(false);
    const gone = await settings[kind]()();
    await gone.close();
    expect(await a.send(gone.nodeId, "hello")).toBe(false);
  });

  it("takes a broadcast to all the others, once each, and not back", async () => {
    const seen: string[] = [];
    for (const [name, bus] of Object.entries({ a, b, c }))
      bus.onMessage((from, message) => seen.push(`${name} ${from} ${message as string}`));
    await a.broadcast("to all");
    await b.send(a.nodeId, "after");
    await c.send(a.nodeId, "after");
    await until("four messages", () => seen.length >= 4);
    expect(seen.sort()).toEqual(
      [`a ${b.nodeId} after`, `a ${c.nodeId} after`, `b ${a.nodeId} to all`, `c ${a.nodeId} to all`].sort(),
    );
  });

  it("shows nodes to each other until they close or fall silent", async () => {
    const known = async () => (await c.nodes()).filter(({ id }) => id === a.nodeId || id === b.nodeId);
    await a.announce(infoOf(a), 60_000);
    await b.announce(infoOf(b), 40);
    expect(await a.nodes()).toContainEqual(infoOf(a));
    expect(await c.nodes()).toContainEqual(infoOf(a));
    await until("the silent one to be gone", async () => (await known()).every(({ id }) => id !== b.nodeId));
    expect(await known()).toEqual([infoOf(a)]);
    await a.announce({ ...infoOf(a), state: "draining" }, 60_000);
    expect(await known()).toEqual([{ ...infoOf(a), state: "draining" }]);
    await a.close();
    expect(await known()).toEqual([]);
  });

  it("hands out copies: what a node holds nobody else can change", async () => {
    const message = { list: [1] };
    const seen: { list: number[] }[] = [];
    b.onMessage((_from, message) => seen.push(message as { list: number[] }));
    const sent = a.send(b.nodeId, message);
    message.list.push(2);
    await sent;
    await until("the message", () => seen.length > 0);
    expect(seen).toEqual([{ list: [1] }]);
  });

  it("agrees on what was said first, until nobody asks any more", async () => {
    const name = randomUUID();
    expect(await a.agree(name, "first", 60_000)).toBe("first");
    expect(await b.agree(name, "second", 60_000)).toBe("first");
    expect(await c.agree(name, "third", 1)).toBe("first");
    await until("the agreement to end", async () => (await b.agree(name, "second", 1)) === "second");
  });
});

// These need a Redis of their own, to stop and to kill.
it("nodes of two installations do not meet in a Redis that both use", async () => {
  const [a, other] = await Promise.all([redisBus(redis.url, installation), redisBus(redis.url, newInstallation())]);
  try {
    await Promise.all([a, other].map((bus) => bus.announce(infoOf(bus), 60_000)));
    expect(await other.nodes()).toEqual([infoOf(other)]);
    await a.append("log:1", "of another installation");
    expect(await other.end("log:1")).toEqual({ place: "0-0", newest: undefined });
    expect(await a.send(other.nodeId, "hello")).toBe(false);
  } finally {
    await Promise.all([a.close(), other.close()]);
  }
});

describe.skipIf(process.env["REDIS_URL"])(
  "a bus in a Redis that fails (needs a Redis of its own: no REDIS_URL)",
  () => {
    let own: TestRedis;
    let a: Bus;
    let b: Bus;
    beforeEach(async () => {
      own = await startRedis();
      [a, b] = await Promise.all([redisBus(own.url, installation), redisBus(own.url, installation)]);
    });
    afterEach(async () => {
      await Promise.all([a.close(), b.close()]);
      await own.stop();
    });

    const failure = async (attempt: Promise<unknown>) =>
      attempt.then(
        () => expect.unreachable("it succeeded"),
        (error: unknown) => error,
      );

    it("knows that nothing was sent while there is no connection", async () => {
      await own.kill();
      await until("the loss to be noticed", () => !a.isConnected);
      const error = await failure(a.send(b.nodeId, "hello"));
      expect(error).toBeInstanceOf(CoordinationUnavailable);
      expect(error).toMatchObject({ isCertain: true });
    });

    it("does not claim to know what became of a message that the connection was lost over", async () => {
      process.kill(own.pid!, "SIGSTOP");
      const sent = failure(a.send(b.nodeId, "hello"));
      // Handed to the socket before the connection goes.
      await new Promise((resolve) => setImmediate(resolve));
      await own.kill();
      const error = await sent;
      expect(error).toBeInstanceOf(CoordinationUnavailable);
      expect(error).toMatchObject({ isCertain: false });
    });

    it("does not send a message again that was cut off", async () => {
      const seen: unknown[] = [];
      b.onMessage((_from, message) => seen.push(message));
      process.kill(own.pid!, "SIGSTOP");
      const sent = failure(a.send(b.nodeId, "cut off"));
      await new Promise((resolve) => setImmediate(resolve));
      await own.restart();
      await sent;
      await until("messages to come again", async () => {
        await a.send(b.nodeId, "again").catch(() => false);
        return seen.length > 0;
      });
      expect(seen).not.toContain("cut off");
    });

    it("goes on by itself: messages, streams and nodes, also when everything was forgotten", async () => {
      const stream = "log:1";
      const messages: unknown[] = [];
      const batches: unknown[] = [];
      b.onMessage((_from, message) => messages.push(message));
      b.follow(stream, (await b.end(stream)).place, (message) => batches.push(message));
      await a.append(stream, "before");
      await until("a message before", () => batches.length === 1);
      await own.restart();
      await until("batches to come again", async () => {
        await a.append(stream, "after").catch(() => {});
        return batches.includes("after");
      });
      await until("messages to come again", async () => {
        await a.send(b.nodeId, "hello").catch(() => false);
        return messages.length > 0;
      });
      await a.announce(infoOf(a), 60_000);
      expect(await b.nodes()).toEqual([infoOf(a)]);
    });

    it("goes on when its connections died without a word", async () => {
      const wire = await startTcpProxy(Number(new URL(own.url).port));
      const c = await redisBus(wire.through(own.url), installation);
      const messages: unknown[] = [];
      const batches: unknown[] = [];
      try {
        c.onMessage((_from, message) => messages.push(message));
        c.follow("log:1", (await c.end("log:1")).place, (message) => batches.push(message));
        wire.strand();
        await a.append("log:1", "news");
        await until("the messages to come again", async () => {
          await c.announce(infoOf(c), 60_000).catch(() => {});
          await a.send(c.nodeId, "hello");
          return messages.length > 0;
        });
        await until("what was missed", () => batches.length > 0);
        expect(batches).toEqual(["news"]);
      } finally {
        await c.close();
        await wire.stop();
      }
    });

    it("hears messages again, and lives, when it asked for them anew and got no answer", async () => {
      const wire = await startTcpProxy(Number(new URL(own.url).port));
      const c = await redisBus(wire.through(own.url), installation);
      const messages: unknown[] = [];
      try {
        c.onMessage((_from, message) => messages.push(message));
        wire.cut();
        await until("the loss to be noticed", () => !c.isConnected);
        wire.restore();
        await wire.strandNext("subscribe", "questions");
        await until("the messages to come again", async () => {
          await a.send(c.nodeId, "hello");
          return messages.length > 0;
        });
      } finally {
        await c.close();
        await wire.stop();
      }
    });

    it("keeps no list of nodes that are long gone", async () => {
      const connection = connectRedis(own.url);
      try {
        await redisReady(connection, 60_000);
        await b.announce(infoOf(b), 1);
        await until("the silent node to be gone", async () => (await a.nodes()).length === 0);
        await a.announce(infoOf(a), 60_000);
        expect(await connection.client.zcard(`parley:${installation.name}:nodes`)).toBe(1);
      } finally {
        connection.close();
      }
    });
  },
);

const installation = newInstallation();

/** Makes buses that reach each other. */
const settings = {
  memory: () => {
    const hub = new MemoryHub();
    return async () => memoryBus(hub);
  },
  Redis: () => () => redisBus(redis.url, installation),
};

const infoOf = (bus: Bus): NodeInfo => ({
  id: bus.nodeId,
  name: `host:${bus.nodeId}`,
  startedAt: 1_700_000_000,
  state: "ready",
  realms: [{ id: 1, isWriter: true, position: 42, lagMs: 0, queues: 3 }],
});

let a: Bus;
let b: Bus;
let c: Bus;
/** A stream of their own for each test. */
let stream: string;

/** A few at once. On a busy machine Redis may answer too late what waits behind a thousand others. */
async function appendAll(messages: readonly unknown[]): Promise<void> {
  const atOnce = 50;
  for (let first = 0; first < messages.length; first += atOnce)
    await Promise.all(messages.slice(first, first + atOnce).map((message) => a.append(stream, message)));
}

async function openBuses(kind: keyof typeof settings): Promise<void> {
  const open = settings[kind]();
  [a, b, c] = await Promise.all([open(), open(), open()]);
  stream = `log:${randomUUID()}`;
}
