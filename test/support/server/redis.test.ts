import { Redis } from "ioredis";
import { afterEach, expect, it } from "vitest";
import { startRedis, type TestRedis } from "./redis.ts";

const started: TestRedis[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((redis) => redis.stop()));
});

it.skipIf(process.env["REDIS_URL"])(
  "each Redis is its own, and comes back empty on its port after a kill (not with REDIS_URL, the same for all)",
  async () => {
    const [first, second] = await Promise.all([startRedis(), startRedis()]);
    started.push(first, second);
    expect(first.url).not.toBe(second.url);

    await write(first.url, "key", "value");
    expect(await read(first.url, "key")).toBe("value");
    expect(await read(second.url, "key")).toBe(null);

    const { url, pid } = first;
    await first.kill();
    expect(first.pid).toBe(undefined);
    expect(() => process.kill(pid ?? 0, 0)).toThrow(/ESRCH/);
    await first.restart();
    expect(first.url).toBe(url);
    expect(await read(url, "key")).toBe(null);
  },
);

async function write(url: string, key: string, value: string): Promise<void> {
  const redis = new Redis(url);
  await redis.set(key, value);
  redis.disconnect();
}

async function read(url: string, key: string): Promise<string | null> {
  const redis = new Redis(url);
  const value = await redis.get(key);
  redis.disconnect();
  return value;
}
