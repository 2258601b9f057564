/** What the rate limiter keeps: short names of bucket, so many of them, and none for longer than it says something. */
import { describe, expect, it } from "vitest";
import { RateLimiter, rates } from "../../../http/api/rate-limit.ts";
import type { Charge, Charged, RateBuckets } from "../../../storage/cluster/rate-buckets.ts";
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
    await limiter.giveBack("authenticate_by_username", "z".repeat(4_000_000));
    await limiter.close();
    expect(charged).toHaveLength(3);
    expect(new Set(charged.map(({ bucket }) => bucket)).size).toBe(3);
    for (const { bucket } of charged) expect(bucket.length).toBeLessThan(60);
  });

  describe("shared by nodes that cannot always be asked", () => {
    /** What the others have counted, in seconds, and what becomes of the next charges. */
    function others() {
      const counted = { secs: 0, charges: 0 };
      const next: ((apply: () => Charged[]) => Promise<Charged[]>)[] = [];
      const buckets: RateBuckets = {
        take: async (charges) => {
          const apply = () => {
            for (const { costSecs } of charges) counted.secs += costSecs;
            counted.charges += charges.length;
            return charges.map(() => ({ isAllowed: true, fullInSecs: counted.secs }));
          };
          return next.length > 0 ? next.shift()!(apply) : apply();
        },
      };
      return { counted, next, limiter: new RateLimiter(buckets) };
    }
    const away = () => Promise.reject(new Error("away"));
    const costSecs = rates.authenticate_by_username.windowSecs / rates.authenticate_by_username.limit;

    it("a success is given back that they were late to count", async () => {
      const { counted, next, limiter } = others();
      let answer = () => {};
      next.push((apply) => new Promise((resolve) => (answer = () => resolve(apply()))));
      expect(await limiter.takeShared("authenticate_by_username", 7)).toMatchObject({ isAllowed: true });
      answer();
      expect(counted.secs).toBe(costSecs);
      await limiter.giveBack("authenticate_by_username", 7);
      await expect.poll(() => counted.secs, { timeout: 10_000 }).toBeLessThanOrEqual(0);
      expect(limiter.look("authenticate_by_username", 7).remaining).toBe(rates.authenticate_by_username.limit);
      await limiter.close();
    });

    it("what is given back while they are away they learn of later", async () => {
      const { counted, next, limiter } = others();
      await limiter.takeShared("authenticate_by_username", 7);
      next.push(away, away);
      await limiter.giveBack("authenticate_by_username", 7);
      expect(next).toHaveLength(1);
      expect(counted.secs).toBe(costSecs);
      await expect.poll(() => counted.secs, { timeout: 10_000 }).toBe(0);
      expect(next).toEqual([]);
      await limiter.close();
    });

    it("what is taken meanwhile each node counts for itself", async () => {
      const { counted, next, limiter } = others();
      next.push(away);
      await limiter.takeShared("authenticate_by_username", 7);
      expect(limiter.look("authenticate_by_username", 7).remaining).toBe(rates.authenticate_by_username.limit - 1);
      await limiter.close();
      expect(counted.charges).toBe(0);
    });
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
