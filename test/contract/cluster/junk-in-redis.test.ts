/** Somebody else writes junk into the Redis that nodes meet in: nodes pass it over and serve on. */
import type { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Bus, NodeInfo } from "../../../storage/cluster/bus.ts";
import { redisBus } from "../../../storage/cluster/bus-redis.ts";
import { redisLeases } from "../../../storage/cluster/lease-redis.ts";
import { redisRateBuckets } from "../../../storage/cluster/rate-buckets-redis.ts";
import { connectRedis, type RedisConnection, redisReady } from "../../../storage/cluster/redis.ts";
import type { Installation } from "../../../storage/cluster/seal.ts";
import type { Refused } from "../../../storage/cluster/stream-reader.ts";
import { junk, kindsOfKey, spoil } from "../../support/faults/junk.ts";
import { newInstallation, testRedis } from "../../support/server/redis.ts";
import { until } from "../../support/time/until.ts";

const redis = testRedis();
beforeAll(connectStranger);
afterAll(() => stranger.close());

describe("a bus", () => {
  beforeEach(openBuses);
  afterEach(() => Promise.all([a.close(), b.close()]));

  it.each(Object.keys(junk))("passes over %s on its channels", async (kind) => {
    for (const channel of [`${prefix}:all`, `${prefix}:to:${b.nodeId}`]) await other.publish(channel, junk[kind]!);
    await a.send(b.nodeId, "genuine");
    await until("the genuine one", () => messages.length > 0);
    expect(messages).toEqual(["genuine"]);
    expect(refused.filter((what) => what === "message").length).toBeGreaterThanOrEqual(2);
  });

  it("takes no message twice, and none that was for another node", async () => {
    const copies: Buffer[] = [];
    const eavesdropper = connectRedis(redis.url);
    await redisReady(eavesdropper, 60_000);
    await eavesdropper.client.subscribe(`${prefix}:to:${b.nodeId}`, `${prefix}:to:elsewhere`);
    eavesdropper.client.on("messageBuffer", (_channel: Buffer, bytes: Buffer) => copies.push(bytes));
    await a.send(b.nodeId, "once");
    await a.send("elsewhere", "to another node");
    await until("both to be copied", () => copies.length === 2);
    eavesdropper.close();
    for (const copy of copies.splice(0, 2)) await other.publish(`${prefix}:to:${b.nodeId}`, copy);
    await a.send(b.nodeId, "last");
    await until("the last", () => messages.includes("last"));
    expect(messages).toEqual(["once", "last"]);
    expect(refused).toEqual(["message", "message"]);
  });

  it.each(Object.keys(junk))("passes over %s in a stream, and what is for another stream", async (kind) => {
    const read: unknown[] = [];
    b.follow("log:1", (await b.end("log:1")).place, (message) => read.push(message));
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

  it.each(kindsOfKey.filter((kind) => kind !== "stream"))("clears a %s where a stream belongs", async (kind) => {
    const read: unknown[] = [];
    b.follow("log:1", (await b.end("log:1")).place, (message) => read.push(message));
    b.follow("log:2", (await b.end("log:2")).place, (message) => read.push(message));
    await spoil[kind](other, `${prefix}:stream:log:1`);
    await other.del(`${prefix}:wake:${b.nodeId}`);
    await spoil[kind](other, `${prefix}:wake:${b.nodeId}`);
    await until("the other stream to go on", async () => {
      await a.append("log:2", "other");
      return read.includes("other");
    });
    await until("this stream to go on", async () => {
      await a.append("log:1", "this");
      return read.includes("this");
    });
  });

  it("begins a stream anew that somebody has brought to its end", async () => {
    const read: unknown[] = [];
    b.follow("log:1", (await b.end("log:1")).place, (message) => read.push(message));
    await other.xadd(`${prefix}:stream:log:1`, "18446744073709551615-18446744073709551615", "m", "junk");
    await until("the stream to go on", async () => {
      await a.append("log:1", "after the end");
      return read.includes("after the end");
    });
  });

  it.each(kindsOfKey)("shows nodes to each other past a %s in place of them", async (kind) => {
    await a.announce(infoOf(a), 60_000);
    for (const key of [`${prefix}:nodes`, `${prefix}:node:ghost`]) {
      await other.del(key);
      await spoil[kind](other, key);
    }
    await other.zadd(`${prefix}:nodes`, 1e18, "ghost").catch(() => {});
    await b.announce(infoOf(b), 60_000);
    expect((await a.nodes()).map(({ id }) => id)).toContain(b.nodeId);
    await a.announce(infoOf(a), 60_000);
    expect((await b.nodes()).map(({ id }) => id).sort()).toEqual([a.nodeId, b.nodeId].sort());
  });

  it.each(kindsOfKey)("agrees on what nodes said, not on a %s", async (kind) => {
    await spoil[kind](other, `${prefix}:agreed:generation`);
    expect(await a.agree("generation", "1", 60_000)).toBe("1");
    expect(await b.agree("generation", "2", 60_000)).toBe("1");
    expect(refused).toContain("agreement");
  });
});

describe("a lease", () => {
  it.each([...Object.keys(junk), ...kindsOfKey])("is free where there is %s", async (kind) => {
    const installation = newInstallation();
    const [a, b] = ["a", "b"].map((id) => redisLeases(stranger, installation, id));
    const key = `parley:${installation.name}:lease:realm:1`;
    await put(kind, key);
    expect(await a!.holder("realm:1")).toBeUndefined();
    expect(await a!.hold("realm:1", longMs)).toBe(true);
    expect(await b!.hold("realm:1", longMs)).toBe(false);
    expect(await b!.holder("realm:1")).toBe("a");
    await other.del(key);
    await put(kind, key);
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

it.each([...Object.keys(junk), ...kindsOfKey])("a rate bucket is only a bucket where there is %s", async (kind) => {
  const installation = newInstallation();
  const buckets = redisRateBuckets(stranger, installation);
  const key = `parley:${installation.name}:rate:x`;
  await put(kind, key);
  // An hour and another, so that nothing comes back meanwhile.
  const charge = { bucket: "x", costSecs: 3600, windowSecs: 7200, isOwed: false };
  const allowed = async () => (await buckets.take([charge]))[0]!.isAllowed;
  expect([await allowed(), await allowed(), await allowed()]).toEqual([true, true, false]);
  for (const number of ["1e300", "nan", "inf", "-inf"]) {
    await other.set(key, number);
    expect((await buckets.take([charge]))[0]!.fullInSecs).toBeLessThanOrEqual(7200);
  }
});

const longMs = 60_000;
let stranger: RedisConnection;
let other: Redis;

async function connectStranger(): Promise<void> {
  stranger = connectRedis(redis.url);
  await redisReady(stranger, 60_000);
  other = stranger.client;
}

let a: Bus;
let b: Bus;
/** What their keys begin with. */
let prefix: string;
let refused: Refused[];
/** What `b` was told. */
let messages: unknown[];

async function openBuses(): Promise<void> {
  const installation: Installation = newInstallation();
  prefix = `parley:${installation.name}`;
  refused = [];
  messages = [];
  const open = () => redisBus(redis.url, installation, { onRefused: (what) => refused.push(what) });
  [a, b] = await Promise.all([open(), open()]);
  b.onMessage((_from, message) => messages.push(message));
}

/** Puts junk under a key, or what is of another kind. */
const put = (kind: string, key: string): Promise<unknown> =>
  kind in spoil ? spoil[kind as keyof typeof spoil](other, key) : other.set(key, junk[kind]!, "PX", longMs);

const infoOf = (bus: Bus): NodeInfo => ({ id: bus.nodeId, name: "n", startedAt: 1, state: "ready", realms: [] });
