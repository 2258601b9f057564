import type { Leases } from "./lease.ts";
import type { RedisConnection } from "./redis.ts";
import { type Installation, Seal } from "./seal.ts";

/** No lease lasts longer. A key that does, or that never expires, is no lease. */
const longestMs = 600_000;

/** Lua that reads the value under the key if it may be a lease. */
const current = `
local function current()
  local value = redis.pcall('GET', KEYS[1])
  if type(value) ~= 'string' then return false end
  local left = redis.call('PTTL', KEYS[1])
  return left >= 0 and left <= ${longestMs} and value
end`;
/**
 * ARGV: the new value, its milliseconds, and a foreign value that may be replaced. Answers 1, or the value that is
 * there.
 */
const hold = `${current}
local value = current()
if value and value ~= ARGV[1] and value ~= ARGV[3] then return value end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;
const release = `${current}
if current() == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;
const holder = `${current}
return current()`;

/**
 * Leases of one installation's nodes, as Redis keys that expire. A value is the node's sealed id. Anything else counts
 * as free.
 */
export function redisLeases(redis: RedisConnection, installation: Installation, nodeId: string): Leases {
  const seal = new Seal(installation.key);
  const keyOf = (name: string) => `parley:${installation.name}:lease:${name}`;
  const ask = (script: string, key: string, ...args: (Buffer | number)[]): Promise<unknown> =>
    redis.run((client) => client.callBuffer("EVAL", script, 1, key, ...args));
  const nodeIn = (key: string, value: unknown) => seal.open(key, value)?.toString();
  return {
    async hold(name, ttlMs) {
      const key = keyOf(name);
      const own = seal.close(key, Buffer.from(nodeId));
      let answer = await ask(hold, key, own, ttlMs, own);
      if (Buffer.isBuffer(answer) && nodeIn(key, answer) === undefined)
        answer = await ask(hold, key, own, ttlMs, answer);
      return answer === 1;
    },
    async release(name) {
      const key = keyOf(name);
      await ask(release, key, seal.close(key, Buffer.from(nodeId)));
    },
    async holder(name) {
      const key = keyOf(name);
      return nodeIn(key, await ask(holder, key));
    },
  };
}
