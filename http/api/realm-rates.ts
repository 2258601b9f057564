/** Rate limits of organizations that have limits of their own. */
import type { RateLimiter, Rates } from "./rate-limit.ts";

/** Limits of organizations that have their own, by the host with which they were created. */
export type RatesByHost = ReadonlyMap<string, Rates>;

/**
 * Each organization's own limiter, or the one that all others share. Organizations with limits of their own share no
 * buckets.
 */
export class RateLimiters {
  readonly #byHost: ReadonlyMap<string, RateLimiter>;

  /** @param make a limiter with these limits */
  constructor(
    private readonly general: RateLimiter,
    byHost: RatesByHost,
    make: (rates: Rates) => RateLimiter,
  ) {
    this.#byHost = new Map([...byHost].map(([host, rates]) => [host, make(rates)]));
  }

  /** The limiter of an organization. */
  of({ state }: { state: { row: { host: string | null } } }): RateLimiter {
    const { host } = state.row;
    if (this.#byHost.size === 0 || host === null) return this.general;
    return this.#byHost.get(host) ?? this.general;
  }

  async close(): Promise<void> {
    await Promise.all([this.general, ...this.#byHost.values()].map((limiter) => limiter.close()));
  }
}
