/** What somebody who is no node may put into a Redis that nodes meet in. */
import { randomBytes } from "node:crypto";
import type { Redis } from "ioredis";
import { pack } from "msgpackr";
import { Seal } from "../../../storage/cluster/seal.ts";

/** What anybody may put anywhere. */
export const junk: Record<string, Buffer> = {
  nothing: Buffer.alloc(0),
  text: Buffer.from("hello"),
  "random bytes": randomBytes(300),
  "a message without a seal": pack(["somebody", { kind: "free", realm: 1 }]),
  "a message under a wrong key": new Seal(randomBytes(32)).close("any place", pack(["somebody", 1, Date.now(), {}])),
  "deep nesting": Buffer.alloc(100_000, 0x91),
};

/** Puts something under a key, of each kind that a key may hold. */
export const spoil = {
  string: (redis: Redis, key: string) => redis.set(key, "junk"),
  list: (redis: Redis, key: string) => redis.rpush(key, "junk"),
  hash: (redis: Redis, key: string) => redis.hset(key, "junk", "junk"),
  "sorted set": (redis: Redis, key: string) => redis.zadd(key, 1e18, "junk"),
  stream: (redis: Redis, key: string) => redis.xadd(key, "*", "junk", "junk"),
} as const satisfies Record<string, (redis: Redis, key: string) => Promise<unknown>>;

export const kindsOfKey = Object.keys(spoil) as (keyof typeof spoil)[];
