/** What every implementation of `Leases` promises. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CoordinationUnavailable, type Leases } from "../../../storage/cluster/lease.ts";
import { type LeaseTable, memoryLeases } from "../../../storage/cluster/lease-memory.ts";
import { redisLeases } from "../../../storage/cluster/lease-redis.ts";
import { connectRedis, type RedisConnection, redisReady } from "../../../storage/cluster/redis.ts";
import { newInstallation, startRedis, testRedis } from "../../support/server/redis.ts";
import { until } from "../../support/time/until.ts";

const redis = testRedis();

describe.each(["memory", "Redis"] as const)("leases in %s", (kind) => {
  let setting: Setting;
  let a: Leases;
  let b: Leases;
  beforeAll(async () => {
    setting = await settings[kind]();
    [a, b] = [setting.of("a"), setting.of("b")];
  });
  afterAll(() => setting.close());

  it("are held by one node at a time", async () => {
    const name = fresh();
    expect(await a.holder(name)).toBeUndefined();
    expect(await a.hold(name, longMs)).toBe(true);
    expect(await b.hold(name, longMs)).toBe(false);
    expect([await a.holder(name), await b.holder(name)]).toEqual(["a", "a"]);
  });

  it("are independent of each other", async () => {
    const [one, other] = [fresh(), fresh()];
    expect(await a.hold(one, longMs)).toBe(true);
    expect(await b.hold(other, longMs)).toBe(true);
  });

  it("go to one of those who ask at once", async () => {
    const name = fresh();
    const granted = await Promise.all([a, b, a, b].map((leases) => leases.hold(name, longMs)));
    expect(granted).toEqual([granted[0], !granted[0], granted[0], !granted[0]]);
  });

  it("end when they are not renewed, and are then free for anybody", async () => {
    const name = fresh();
    expect(await a.hold(name, 30)).toBe(true);
    await until("the lease to end", async () => (await b.holder(name)) === undefined);
    expect(await b.hold(name, longMs)).toBe(true);
    expect(await a.hold(name, longMs)).toBe(false);
  });

  it("last anew from each renewal", async () => {
    const name = fresh();
    expect(await a.hold(name, 30)).toBe(true);
    expect(await a.hold(name, longMs)).toBe(true);
    const short = fresh();
    expect(await a.hold(short, 60)).toBe(true);
    await until("a lease taken later to end", async () => (await a.holder(short)) === undefined);
    expect(await b.holder(name)).toBe("a");
  });

  it("are given back by their holder and by nobody else", async () => {
    const name = fresh();
    await a.hold(name, longMs);
    await b.release(name);
    expect(await b.holder(name)).toBe("a");
    await a.release(name);
    expect(await b.holder(name)).toBeUndefined();
    await a.release(name);
    expect(await b.hold(name, longMs)).toBe(true);
  });

  it.runIf(kind === "Redis")("of another installation are others (in memory there is but one)", async () => {
    const name = fresh();
    expect(await a.hold(name, longMs)).toBe(true);
    const connection = connectRedis(redis.url);
    try {
      await redisReady(connection, 60_000);
      expect(await redisLeases(connection, newInstallation(), "b").hold(name, longMs)).toBe(true);
    } finally {
      connection.close();
    }
  });

  it("are taken again like free ones when the store forgot them", async () => {
    const name = fresh();
    await a.hold(name, longMs);
    await setting.forget();
    expect(await a.hold(name, longMs)).toBe(true);
    expect(await b.hold(name, longMs)).toBe(false);
  });
});

describe("leases in a Redis that is gone", () => {
  it.skipIf(process.env["REDIS_URL"])(
    "say so instead of guessing, and work again when it is back (needs a Redis of its own: no REDIS_URL)",
    async () => {
      const own = await startRedis();
      const connection = connectRedis(own.url);
      try {
        await redisReady(connection, 60_000);
        const leases = redisLeases(connection, installation, "a");
        expect(await leases.hold("realm:1", longMs)).toBe(true);
        await own.kill();
        for (const ask of [
          () => leases.hold("realm:1", longMs),
          () => leases.holder("realm:1"),
          () => leases.release("realm:1"),
        ])
          await expect(ask()).rejects.toBeInstanceOf(CoordinationUnavailable);
        await own.restart();
        await until("the lease to be held again", () => leases.hold("realm:1", longMs).catch(() => false));
      } finally {
        connection.close();
        await own.stop();
      }
    },
  );
});

const settings = {
  async memory(): Promise<Setting> {
    const table: LeaseTable = new Map();
    return {
      of: (nodeId) => memoryLeases(table, nodeId),
      forget: async () => table.clear(),
      close: async () => {},
    };
  },
  async Redis(): Promise<Setting> {
    const connection: RedisConnection = connectRedis(redis.url);
    await redisReady(connection, 60_000);
    return {
      of: (nodeId) => redisLeases(connection, installation, nodeId),
      forget: async () => void (await connection.client.flushall()),
      close: async () => connection.close(),
    };
  },
};

interface Setting {
  /** Leases as the node of that name sees them. */
  of(nodeId: string): Leases;
  /** The store forgets everything. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

const longMs = 60_000;

const installation = newInstallation();

let names = 0;

const fresh = () => `realm:${++names}`;
