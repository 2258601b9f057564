/**
 * Rate-limit buckets that all nodes share, by the generic cell rate algorithm: of each bucket one number is kept, when
 * it is full again. They are only there to share a budget: without them each node counts for itself.
 */
export interface RateBuckets {
  /**
   * Takes from many buckets at once, each for itself.
   * @throws CoordinationUnavailable when nobody can say whether it was done
   */
  take(charges: readonly Charge[]): Promise<Charged[]>;
}

export interface Charge {
  bucket: string;
  /** What is taken, in seconds that the bucket needs to fill up with it; negative to give back. */
  costSecs: number;
  /** Seconds that an empty bucket needs. */
  windowSecs: number;
  /** It was let through already: take it even if the bucket does not hold as much. */
  isOwed: boolean;
}

export interface Charged {
  /** The bucket held as much. When not, nothing was taken, unless it was owed. */
  isAllowed: boolean;
  /** Seconds until the bucket is full again. */
  fullInSecs: number;
}
