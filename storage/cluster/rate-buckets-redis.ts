import type { Charged, RateBuckets } from "./rate-buckets.ts";
import type { RedisConnection } from "./redis.ts";
import type { Installation } from "./seal.ts";

/**
 * The script uses the clock of Redis, since the clocks of nodes may differ. Numbers are returned as text, since Redis
 * would cut them to integers. Anything else under a key counts at worst as an empty bucket.
 */
const take = `
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local answers = {}
for i, key in ipairs(KEYS) do
  local cost, window, owed = tonumber(ARGV[3 * i - 2]), tonumber(ARGV[3 * i - 1]), ARGV[3 * i] == '1'
  local kept = redis.pcall('GET', key)
  local full = type(kept) == 'string' and tonumber(kept) or 0
  if full ~= full then full = 0 end
  full = math.min(math.max(now, full), now + window)
  local allowed = full + cost - now <= window + 0.000001
  if allowed or owed then full = math.max(now, math.min(full + cost, now + window)) end
  if allowed or owed then redis.call('SET', key, string.format('%.6f', full), 'PX', math.ceil((full - now) * 1000) + 1) end
  answers[2 * i - 1] = allowed and 1 or 0
  answers[2 * i] = string.format('%.6f', full - now)
end
return answers`;

/** Buckets as Redis keys that expire when they are full. */
export function redisRateBuckets(redis: RedisConnection, installation: Installation): RateBuckets {
  return {
    async take(charges) {
      const keys = charges.map(({ bucket }) => `parley:${installation.name}:rate:${bucket}`);
      const args = charges.flatMap(({ costSecs, windowSecs, isOwed }) => [costSecs, windowSecs, isOwed ? 1 : 0]);
      const answer = await redis.run((client) => client.eval(take, keys.length, ...keys, ...args));
      const answers: readonly unknown[] = Array.isArray(answer) ? answer : [];
      return charges.map(
        (_, index): Charged => ({
          isAllowed: Number(answers[2 * index]) === 1,
          fullInSecs: Number(answers[2 * index + 1]),
        }),
      );
    },
  };
}
