/**
 * Rate limits by the generic cell rate algorithm: one number per key says when the key's bucket will be full again, so
 * that any `limit` requests fit in any `windowSecs` and a quiet key costs nothing.
 */
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
  api_by_ip: { limit: 100, windowSecs: 60 },
  authenticate_by_username: { limit: 5, windowSecs: 1800 },
  change_email: { limit: 2, windowSecs: 3600 },
} as const satisfies Record<string, Rate>;
export type RateName = keyof typeof rates;

export class RateLimiter {
  /** Key → when its bucket is full again, in seconds. */
  readonly #fullAt = new Map<string, number>();

  constructor(private readonly clock: () => number = () => Date.now() / 1000) {}

  /** Takes one from the key's bucket, or says when there will be one. */
  take(name: RateName, key: string): Allowance {
    const { limit, windowSecs } = rates[name];
    const now = this.clock();
    const bucket = `${name}:${key}`;
    const each = windowSecs / limit;
    const fullAt = Math.max(now, this.#fullAt.get(bucket) ?? 0);
    const isAllowed = fullAt + each - now <= windowSecs + 1e-9;
    const next = isAllowed ? fullAt + each : fullAt;
    if (isAllowed) this.#fullAt.set(bucket, next);
    if (this.#fullAt.size > 500_000) this.#forgetFull(now);
    return {
      isAllowed,
      limit,
      remaining: Math.max(0, Math.floor((windowSecs - (next - now)) / each + 1e-9)),
      resetAt: Math.ceil(next),
      retryAfterSecs: isAllowed ? 0 : fullAt + each - windowSecs - now,
    };
  }

  /** Gives one back: what was counted turned out not to count (a log-in that succeeded). */
  giveBack(name: RateName, key: string): void {
    const { limit, windowSecs } = rates[name];
    const fullAt = this.#fullAt.get(`${name}:${key}`);
    if (fullAt !== undefined) this.#fullAt.set(`${name}:${key}`, fullAt - windowSecs / limit);
  }

  #forgetFull(now: number): void {
    for (const [key, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(key);
  }
}
