/**
 * Rate limits by the generic cell rate algorithm: one number per key says when the key's bucket will be full again, so
 * that any `limit` requests fit in any `windowSecs` and a quiet key costs nothing.
 */
import type { RateBuckets } from "../storage/rate-buckets.ts";

export interface Rate {
  limit: number;
  windowSecs: number;
}

export interface Allowance {
  isAllowed: boolean;
  limit: number;
  remaining: number;
  /** UNIX seconds when everything is available again. */
  resetAt: number;
  /** Seconds until the next request would be allowed; 0 when this one is. */
  retryAfterSecs: number;
}

/** Source: spec/clients.md, 12. */
export const rates = {
  api_by_user: { limit: 200, windowSecs: 60 },
  /** What the bots of one owner have together, beside the budget of each. */
  api_by_bots_of_owner: { limit: 600, windowSecs: 60 },
  api_by_ip: { limit: 100, windowSecs: 60 },
  authenticate_by_username: { limit: 5, windowSecs: 1800 },
  change_email: { limit: 2, windowSecs: 3600 },
} as const satisfies Record<string, Rate>;
export type RateName = keyof typeof rates;

/** A node that cannot reach the shared buckets counts for itself, and tries again after this long. */
const unreachableSecs = 1;
/** Nobody waits longer to learn what the other nodes counted. */
const shareTimeoutMs = 250;
/** How long what was taken at once may be news to the other nodes. */
const reportAfterMs = 50;

/**
 * Counts what is taken from each bucket. With shared buckets all nodes count together: `takeShared` asks them, `take` goes
 * by what this node heard last and reports afterwards.
 */
export class RateLimiter {
  /** Bucket → when it is full again, in seconds. */
  readonly #fullAt = new Map<string, number>();
  /** Taken at once, not yet reported: bucket → seconds. */
  #owed = new Map<string, { name: RateName; costSecs: number }>();
  #reporting: NodeJS.Timeout | undefined;
  #unreachableUntil = 0;

  constructor(
    private readonly shared: RateBuckets | undefined = undefined,
    private readonly clock: () => number = () => Date.now() / 1000,
  ) {}

  /** Takes one from the key's bucket, or says when there will be one. */
  take(name: RateName, key: string): Allowance {
    const bucket = `${name}:${key}`;
    const allowance = this.#takeHere(name, bucket);
    if (allowance.isAllowed) this.#owe(name, bucket, costOf(name));
    return allowance;
  }

  /** The same, by what all nodes have counted. Where they cannot be asked, by what this one has: then at once. */
  takeShared(name: RateName, key: string): Allowance | Promise<Allowance> {
    if (!this.shared || this.clock() < this.#unreachableUntil) return this.take(name, key);
    return this.#ask(this.shared, name, key);
  }

  /** Gives one back: what was counted turned out not to count (a log-in that succeeded). */
  giveBack(name: RateName, key: string): void {
    const bucket = `${name}:${key}`;
    const fullAt = this.#fullAt.get(bucket);
    if (fullAt !== undefined) this.#fullAt.set(bucket, fullAt - costOf(name));
    this.#owe(name, bucket, -costOf(name));
  }

  /** Reports what is not yet reported, and ends. */
  async close(): Promise<void> {
    clearTimeout(this.#reporting);
    await this.#report();
  }

  async #ask(shared: RateBuckets, name: RateName, key: string): Promise<Allowance> {
    const bucket = `${name}:${key}`;
    const now = this.clock();
    try {
      const charge = { bucket, costSecs: costOf(name), windowSecs: rates[name].windowSecs, isOwed: false };
      const [charged] = await inTime(shared.take([charge]));
      this.#fullAt.set(bucket, now + charged!.fullInSecs);
      return allowanceOf(name, charged!.isAllowed, now + charged!.fullInSecs, now);
    } catch {
      this.#unreachableUntil = now + unreachableSecs;
      return this.take(name, key);
    }
  }

  #takeHere(name: RateName, bucket: string): Allowance {
    const now = this.clock();
    const fullAt = Math.max(now, this.#fullAt.get(bucket) ?? 0);
    const isAllowed = fullAt + costOf(name) - now <= rates[name].windowSecs + 1e-9;
    const next = isAllowed ? fullAt + costOf(name) : fullAt;
    if (isAllowed) this.#fullAt.set(bucket, next);
    if (this.#fullAt.size > 500_000) this.#forgetFull(now);
    return allowanceOf(name, isAllowed, next, now);
  }

  #owe(name: RateName, bucket: string, costSecs: number): void {
    if (!this.shared) return;
    const owed = this.#owed.get(bucket);
    if (owed) owed.costSecs += costSecs;
    else this.#owed.set(bucket, { name, costSecs });
    this.#reporting ??= setTimeout(() => void this.#report(), reportAfterMs);
  }

  async #report(): Promise<void> {
    this.#reporting = undefined;
    const owed = this.#owed;
    this.#owed = new Map();
    const now = this.clock();
    if (!this.shared || owed.size === 0 || now < this.#unreachableUntil) return;
    const charges = [...owed].map(([bucket, { name, costSecs }]) => ({
      bucket,
      costSecs,
      windowSecs: rates[name].windowSecs,
      isOwed: true,
    }));
    try {
      const charged = await inTime(this.shared.take(charges));
      for (const [index, { bucket }] of charges.entries()) {
        // What was taken since then is on top of it.
        const since = this.#owed.get(bucket)?.costSecs ?? 0;
        this.#fullAt.set(bucket, now + charged[index]!.fullInSecs + since);
      }
    } catch {
      // The others do not hear of it: as long as they cannot be reached, each node counts for itself.
      this.#unreachableUntil = now + unreachableSecs;
    }
  }

  #forgetFull(now: number): void {
    for (const [key, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(key);
  }
}

/** Seconds that a bucket needs to fill up with what one request takes. */
const costOf = (name: RateName): number => rates[name].windowSecs / rates[name].limit;

/** @param fullAt when the bucket is full again, after what was taken */
function allowanceOf(name: RateName, isAllowed: boolean, fullAt: number, now: number): Allowance {
  const { limit, windowSecs } = rates[name];
  const each = costOf(name);
  return {
    isAllowed,
    limit,
    remaining: Math.max(0, Math.floor((windowSecs - (fullAt - now)) / each + 1e-6)),
    resetAt: Math.ceil(fullAt),
    retryAfterSecs: isAllowed ? 0 : fullAt + each - windowSecs - now,
  };
}

async function inTime<T>(asked: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the shared buckets did not answer")), shareTimeoutMs);
  });
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}
