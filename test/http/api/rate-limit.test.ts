/** What the rate limiter keeps: short names of bucket, so many of them, and none for longer than it says something. */
import { describe, expect, it } from "vitest";
import { RateLimiter, rates } from "../../../http/api/rate-limit.ts";
import type { Charge, RateBuckets } from "../../../storage/cluster/rate-buckets.ts";
import type { RealmId } from "../../../storage/ids.ts";

describe("rate buckets", () => {
  it("have short names, whatever the key", async () => {
    const charged: Charge[] = [];
    const buckets: RateBuckets = {
      async take(charges) {
        charged.push(...charges);
        return charges.map(() => ({ isAllowed: true, fullInSecs: 1 }));
      },
    };
    const limiter = new RateLimiter(buckets);
    await limiter.takeShared("authenticate_by_username", "x".repeat(4_000_000));
    limiter.take("authenticate_by_username", "y".repeat(4_000_000));
    limiter.giveBack("authenticate_by_username", "z".repeat(4_000_000));
    await limiter.close();
    expect(charged).toHaveLength(3);
    expect(new Set(charged.map(({ bucket }) => bucket)).size).toBe(3);
    for (const { bucket } of charged) expect(bucket.length).toBeLessThan(60);
  });

  it("are bounded, and the one that is used goes on counting", () => {
    const limiter = new RateLimiter(undefined, () => 1000, rates, 1000);
    const { limit } = rates.authenticate_by_username;
    for (let taken = 0; taken < limit; taken++) limiter.take("authenticate_by_username", "ada");
    for (let key = 0; key < 10_000; key++) {
      limiter.take("api_by_ip", { realmId: 1 as RealmId, address: `address ${key}` });
      if (key % 100 === 0) limiter.take("api_by_user", 7);
      expect(limiter.size).toBeLessThanOrEqual(1000);
    }
    expect(limiter.look("api_by_user", 7).remaining).toBe(rates.api_by_user.limit - 100);
  });

  it("are forgotten when they are full for sure", () => {
    let now = 1000;
    const limiter = new RateLimiter(undefined, () => now, rates);
    for (let key = 0; key < 100; key++) limiter.take("api_by_ip", { realmId: 1 as RealmId, address: `address ${key}` });
    const longest = Math.max(...Object.values(rates).map(({ windowSecs }) => windowSecs));
    for (let turn = 0; turn < 3; turn++) {
      now += longest;
      limiter.take("api_by_user", 7);
    }
    expect(limiter.size).toBeLessThanOrEqual(2);
  });
});
