/**
 * Who holds what. A lease is a hint that keeps two nodes from working against each other; what keeps them from doing
 * harm is the epoch in PostgreSQL (`storage/realm-log.ts`).
 */
export interface Leases {
  /**
   * Takes a lease that is free, or keeps the one this node has, for `ttlMs` from now. A lease that was lost because the
   * store forgot everything is taken again like a free one.
   * @returns whether it is this node's now
   * @throws CoordinationUnavailable
   */
  hold(name: string, ttlMs: number): Promise<boolean>;
  /** Gives a lease back, if it is this node's. @throws CoordinationUnavailable */
  release(name: string): Promise<void>;
  /** The node that holds a lease. @throws CoordinationUnavailable */
  holder(name: string): Promise<string | undefined>;
}

/** The store that nodes coordinate through is not there.  */
export class CoordinationUnavailable extends Error {
  override name = "CoordinationUnavailable";
  /** @param isCertain nothing was done; otherwise it may have been */
  constructor(
    message: string,
    readonly isCertain: boolean,
  ) {
    super(message);
  }
}
