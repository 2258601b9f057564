/**
 * A writer's term, and how long its node may answer reads without asking anybody.
 *
 * Only the writer commits, so its replica misses nothing while its epoch is the newest. PostgreSQL says whether it is,
 * and the answer holds for `sureMs` from the moment of the question. The next writer first bumps the epoch, which ends
 * the commits of the one before. Then it waits until no answer about the old epoch can hold any more, unless the old
 * term was ended in good order. So this is true whatever became of the old writer, and Redis has no part in it.
 */

/** A successor waits as long, so it is short. It is longer than a question takes, so a busy writer is always sure. */
const sureMs = 250;
/** The fifth more is for clocks of two machines that differ in speed. Timers are late rather than early. */
export const successorWaitsMs = 1.2 * sureMs;

export class ReadLease {
  #sureSince = Number.NEGATIVE_INFINITY;
  #sureSinceWall = Number.NEGATIVE_INFINITY;

  constructor(readonly epoch: number) {}

  /** PostgreSQL, asked at that moment, had no newer epoch. */
  confirm(askedAt: Moment): void {
    if (askedAt.monotonicMs < this.#sureSince) return;
    this.#sureSince = askedAt.monotonicMs;
    this.#sureSinceWall = askedAt.wallMs;
  }

  /** Whether nobody else can have written anything yet. */
  get isValid(): boolean {
    return this.#age() < sureMs;
  }

  /** Whether it is sure, but not for much longer. */
  get isRenewalDue(): boolean {
    return this.#age() > sureMs / 2;
  }

  /** By both clocks: the monotonic one may stop while a machine sleeps, and the other may be set at any time. */
  #age(): number {
    const wall = Date.now() - this.#sureSinceWall;
    return wall < 0 ? Number.POSITIVE_INFINITY : Math.max(wall, performance.now() - this.#sureSince);
  }
}

export interface Moment {
  monotonicMs: number;
  wallMs: number;
}

export const thisMoment = (): Moment => ({ monotonicMs: performance.now(), wallMs: Date.now() });
