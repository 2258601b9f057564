/**
 * Leases. A lease is a hint that keeps two nodes from claiming one realm at once. The epoch in PostgreSQL prevents harm
 * (`storage/realm-log.ts`).
 */
export interface Leases {
  /**
   * Takes a free lease, or renews this node's, for `ttlMs` from now. A lease counts as free when the store has lost its
   * data.
   * @returns whether it is this node's now
   * @throws CoordinationUnavailable
   */
  hold(name: string, ttlMs: number): Promise<boolean>;
  /** Gives a lease back, if it is this node's. @throws CoordinationUnavailable */
  release(name: string): Promise<void>;
  /** The node that holds a lease. @throws CoordinationUnavailable */
  holder(name: string): Promise<string | undefined>;
}

/** The store for coordination cannot be reached. */
export class CoordinationUnavailable extends Error {
  override name = "CoordinationUnavailable";
  /** @param isCertain whether certainly nothing was done */
  constructor(
    message: string,
    readonly isCertain: boolean,
  ) {
    super(message);
  }
}
