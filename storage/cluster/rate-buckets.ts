/**
 * Rate-limit buckets that all nodes share, by the generic cell rate algorithm: a bucket is one number, the time when it
 * is full again. Without them each node counts for itself.
 */
export interface RateBuckets {
  /**
   * Takes from many buckets at once, independently.
   * @throws CoordinationUnavailable when nobody can say whether it was done
   */
  take(charges: readonly Charge[]): Promise<Charged[]>;
}

export interface Charge {
  bucket: string;
  /** What is taken, in seconds in which the bucket regains it. Negative to give back. */
  costSecs: number;
  /** Seconds in which an empty bucket fills. */
  windowSecs: number;
  /** The request was let through already: take it even from a bucket that is too empty. */
  isOwed: boolean;
}

export interface Charged {
  /** Whether the bucket held enough. If not, nothing was taken, unless it was owed. */
  isAllowed: boolean;
  /** Seconds until the bucket is full again. */
  fullInSecs: number;
}
