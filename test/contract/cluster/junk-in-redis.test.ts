/**
 * Somebody else writes to the Redis that nodes meet in: forged and copied letters, and junk of every kind in every
 * place. Nodes pass it over, say so, and serve on.
 */
import { randomBytes } from "node:crypto";
import type { Redis } from "ioredis";
import { pack } from "msgpackr";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Bus, NodeInfo } from "../../../storage/cluster/bus.ts";
import { type Refused, redisBus } from "../../../storage/cluster/bus-redis.ts";
import { redisLeases } from "../../../storage/cluster/lease-redis.ts";
import { redisRateBuckets } from "../../../storage/cluster/rate-buckets-redis.ts";
import { connectRedis, type RedisConnection, redisReady } from "../../../storage/cluster/redis.ts";
import { type Installation, Seal } from "../../../storage/cluster/seal.ts";
import { expectSuccess } from "../../support/client/api.ts";
import { newInstallation, startRedis, type TestRedis } from "../../support/server/redis.ts";
import { startTestServer, type TestServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

let redis: TestRedis;
let stranger: RedisConnection;
let other: Redis;
beforeAll(async () => {
  redis = await startRedis();
  stranger = connectRedis(redis.url);
  await redisReady(stranger, 5000);
  other = stranger.client;
}, 120_000);
afterAll(async () => {
  stranger?.close();
  await redis?.stop();
});

/** What anybody may put anywhere. */
const junk: Record<string, Buffer> = {
  nothing: Buffer.alloc(0),
  text: Buffer.from("hello"),
  "random bytes": randomBytes(300),
  "a letter without a seal": pack(["somebody", { kind: "free", realm: 1 }]),
  "a letter under a wrong key": new Seal(randomBytes(32)).close("any place", pack(["somebody", 1, Date.now(), {}])),
  "deep nesting": Buffer.alloc(100_000, 0x91),
};

/** Puts something of another kind under a key. */
const spoil: Record<string, (key: string) => Promise<unknown>> = {
  string: (key) => other.set(key, "junk"),
  list: (key) => other.rpush(key, "junk"),
  hash: (key) => other.hset(key, "junk", "junk"),
  "sorted set": (key) => other.zadd(key, 1e18, "junk"),
  stream: (key) => other.xadd(key, "*", "junk", "junk"),
};

const infoOf = (bus: Bus): NodeInfo => ({ id: bus.nodeId, name: "n", startedAt: 1, state: "ready", realms: [] });

describe("a bus", () => {
  let installation: Installation;
  let a: Bus;
  let b: Bus;
  let refused: Refused[];
  let prefix: string;
  let letters: unknown[];
  beforeEach(async () => {
    installation = newInstallation();
    prefix = `parley:${installation.name}`;
    refused = [];
    letters = [];
    const open = () => redisBus(redis.url, installation, { onRefused: (what) => refused.push(what) });
    [a, b] = await Promise.all([open(), open()]);
    b.onLetter((_from, letter) => letters.push(letter));
  });
  afterEach(() => Promise.all([a.close(), b.close()]));

  it.each(Object.keys(junk))("passes over %s on its channels", async (kind) => {
    for (const channel of [`${prefix}:all`, `${prefix}:to:${b.nodeId}`]) await other.publish(channel, junk[kind]!);
    await a.send(b.nodeId, "genuine");
    await until("the genuine one", () => letters.length > 0);
    expect(letters).toEqual(["genuine"]);
    expect(refused.filter((what) => what === "letter").length).toBeGreaterThanOrEqual(2);
  });

  it("takes no letter twice, and none that was for another node", async () => {
    const copies: Buffer[] = [];
    const eavesdropper = connectRedis(redis.url);
    await redisReady(eavesdropper, 5000);
    await eavesdropper.client.subscribe(`${prefix}:to:${b.nodeId}`, `${prefix}:to:elsewhere`);
    eavesdropper.client.on("messageBuffer", (_channel: Buffer, bytes: Buffer) => copies.push(bytes));
    await a.send(b.nodeId, "once");
    await a.send("elsewhere", "to another node");
    await until("both to be copied", () => copies.length === 2);
    eavesdropper.close();
    for (const copy of copies.splice(0, 2)) await other.publish(`${prefix}:to:${b.nodeId}`, copy);
    await a.send(b.nodeId, "last");
    await until("the last", () => letters.includes("last"));
    expect(letters).toEqual(["once", "last"]);
    expect(refused).toEqual(["letter", "letter"]);
  });

  it.each(Object.keys(junk))("passes over %s in a stream, and what is for another stream", async (kind) => {
    const read: unknown[] = [];
    b.follow("log:1", await b.end("log:1"), (message) => read.push(message));
    await other.xadd(`${prefix}:stream:log:1`, "*", "m", junk[kind]!);
    await other.xadd(`${prefix}:stream:log:1`, "*", "x", "1", "y", "2");
    await a.append("log:2", "for another stream");
    const [[, fields]] = (await other.xrangeBuffer(`${prefix}:stream:log:2`, "-", "+")) as [[Buffer, Buffer[]]];
    await other.xadd(`${prefix}:stream:log:1`, "*", "m", fields[1]!);
    await a.append("log:1", "genuine");
    await until("the genuine one", () => read.length > 0);
    expect(read).toEqual(["genuine"]);
    expect(refused).toEqual(["batch", "batch", "batch"]);
  });

  it.each(Object.keys(spoil).filter((kind) => kind !== "stream"))(
    "clears a %s where a stream belongs",
    async (kind) => {
      const read: unknown[] = [];
      b.follow("log:1", await b.end("log:1"), (message) => read.push(message));
      b.follow("log:2", await b.end("log:2"), (message) => read.push(message));
      await spoil[kind]!(`${prefix}:stream:log:1`);
      await other.del(`${prefix}:wake:${b.nodeId}`);
      await spoil[kind]!(`${prefix}:wake:${b.nodeId}`);
      await until("the other stream to go on", async () => {
        await a.append("log:2", "other");
        return read.includes("other");
      });
      await until("this stream to go on", async () => {
        await a.append("log:1", "this");
        return read.includes("this");
      });
    },
  );

  it("begins a stream anew that somebody has brought to its end", async () => {
    const read: unknown[] = [];
    b.follow("log:1", await b.end("log:1"), (message) => read.push(message));
    await other.xadd(`${prefix}:stream:log:1`, "18446744073709551615-18446744073709551615", "m", "junk");
    await until("the stream to go on", async () => {
      await a.append("log:1", "after the end");
      return read.includes("after the end");
    });
  });

  it.each(Object.keys(spoil))("shows nodes to each other past a %s in place of them", async (kind) => {
    await a.announce(infoOf(a), 60_000);
    for (const key of [`${prefix}:nodes`, `${prefix}:node:ghost`]) {
      await other.del(key);
      await spoil[kind]!(key);
    }
    await other.zadd(`${prefix}:nodes`, 1e18, "ghost").catch(() => {});
    await b.announce(infoOf(b), 60_000);
    expect((await a.nodes()).map(({ id }) => id)).toContain(b.nodeId);
    await a.announce(infoOf(a), 60_000);
    expect((await b.nodes()).map(({ id }) => id).sort()).toEqual([a.nodeId, b.nodeId].sort());
  });

  it.each(Object.keys(spoil))("agrees on what nodes said, not on a %s", async (kind) => {
    await spoil[kind]!(`${prefix}:agreed:generation`);
    expect(await a.agree("generation", "1", 60_000)).toBe("1");
    expect(await b.agree("generation", "2", 60_000)).toBe("1");
    expect(refused).toContain("agreement");
  });
});

describe("a lease", () => {
  const longMs = 60_000;
  it.each([...Object.keys(junk), ...Object.keys(spoil)])("is free where there is %s", async (kind) => {
    const installation = newInstallation();
    const [a, b] = ["a", "b"].map((id) => redisLeases(stranger, installation, id));
    const key = `parley:${installation.name}:lease:realm:1`;
    const put = spoil[kind] ?? ((name: string) => other.set(name, junk[kind]!, "PX", longMs));
    await put(key);
    expect(await a!.holder("realm:1")).toBeUndefined();
    expect(await a!.hold("realm:1", longMs)).toBe(true);
    expect(await b!.hold("realm:1", longMs)).toBe(false);
    expect(await b!.holder("realm:1")).toBe("a");
    await other.del(key);
    await put(key);
    await a!.release("realm:1");
  });

  it("is free where somebody has made a node's last for ever, or copied that of another realm", async () => {
    const installation = newInstallation();
    const [a, b] = ["a", "b"].map((id) => redisLeases(stranger, installation, id));
    const key = (realm: number) => `parley:${installation.name}:lease:realm:${realm}`;
    await a!.hold("realm:1", longMs);
    await other.persist(key(1));
    expect(await b!.hold("realm:1", longMs)).toBe(true);
    await other.set(key(2), (await other.getBuffer(key(1)))!, "PX", longMs);
    expect(await a!.hold("realm:2", longMs)).toBe(true);
  });
});

it.each([...Object.keys(junk), ...Object.keys(spoil)])(
  "a rate bucket is only a bucket where there is %s",
  async (kind) => {
    const installation = newInstallation();
    const buckets = redisRateBuckets(stranger, installation);
    const key = `parley:${installation.name}:rate:x`;
    await (spoil[kind] ?? ((name: string) => other.set(name, junk[kind]!)))(key);
    const charge = { bucket: "x", costSecs: 1, windowSecs: 2, isOwed: false };
    const allowed = async () => (await buckets.take([charge]))[0]!.isAllowed;
    expect([await allowed(), await allowed(), await allowed()]).toEqual([true, true, false]);
    for (const number of ["1e300", "nan", "inf", "-inf"]) {
      await other.set(key, number);
      expect((await buckets.take([charge]))[0]!.fullInSecs).toBeLessThanOrEqual(2);
    }
  },
);

describe("two nodes", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ PARLEY_LOG_LEVEL: "error" }, 2);
  }, 120_000);
  afterAll(() => server?.stop());

  const refusals = async () => {
    const texts = await Promise.all(server.urls.map(async (url) => (await fetch(`${url}/metrics`)).text()));
    return texts.flatMap((text) =>
      [...text.matchAll(/^parley_cluster_refused_total\{.*\} (\d+)$/gm)].map(([, n]) => Number(n)),
    );
  };

  it("do nothing for who forges a letter, count it, and serve on whatever is under their keys", async () => {
    const mallory = await server.addUser("Mallory");
    const forger = connectRedis(server.redis!.url);
    await redisReady(forger, 5000);
    const redis = forger.client;
    const command = {
      kind: "do",
      id: 1,
      realm: 1,
      name: "updateUser",
      args: { actorId: server.owner.id, userId: mallory.id, role: 100 },
      by: { userId: server.owner.id, keyVersion: 1 },
    };
    const channels = (await redis.pubsub("CHANNELS", "parley:*")) as string[];
    expect(channels.length).toBe(3);
    for (const channel of channels)
      for (const bytes of [
        pack(["somebody", command]),
        pack(["somebody", 1, Date.now(), command]),
        ...Object.values(junk),
      ])
        await redis.publish(channel, bytes);
    for (let round = 0; round < 3; round++) {
      for (const key of await redis.keys("parley:*")) {
        await redis.del(key);
        await (round === 0
          ? redis.set(key, "junk")
          : round === 1
            ? redis.rpush(key, "junk")
            : redis.xadd(key, "*", "m", "x"));
      }
      for (let count = 0; count < 4; count++)
        await until("a send", async () => {
          const { status } = await server.owner.client.post("/messages", {
            type: "direct",
            to: [mallory.id],
            content: `round ${round}, ${count}`,
          });
          return status === 200;
        });
    }
    forger.close();
    const { user } = expectSuccess(await server.owner.client.get(`/users/${mallory.id}`)) as { user: { role: number } };
    expect(user.role).toBe(400);
    expect((await refusals()).length).toBeGreaterThan(0);
    await until("both replicas to be the same", async () => {
      const [one, two] = await server.realms();
      return one!.position === two!.position;
    });
  }, 120_000);
});
