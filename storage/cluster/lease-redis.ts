import type { Leases } from "./lease.ts";
import type { RedisConnection } from "./redis.ts";

const hold = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;
const release = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

/** Leases as Redis keys that expire, of one installation's nodes. */
export function redisLeases(redis: RedisConnection, installation: string, nodeId: string): Leases {
  const key = (name: string) => `parley:${installation}:lease:${name}`;
  return {
    hold: async (name, ttlMs) => (await redis.run((client) => client.eval(hold, 1, key(name), nodeId, ttlMs))) === 1,
    release: async (name) => void (await redis.run((client) => client.eval(release, 1, key(name), nodeId))),
    holder: async (name) => (await redis.run((client) => client.get(key(name)))) ?? undefined,
  };
}
