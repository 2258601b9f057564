/**
 * A writer's term, and for how long its node may answer reads without asking anybody.
 *
 * Nobody but the writer commits, so its replica misses nothing as long as its epoch is the newest. PostgreSQL says
 * whether it is; the answer is good for `sureMs` from the moment of the question. Whoever begins the next term bumps
 * the epoch, which ends the commits of the one before, and writes nothing before the answers that may still be good are
 * not: a term that was not ended in good order costs its successor that wait. So this holds whatever became of the
 * writer before, and Redis has no part in it.
 */

/** Also what a successor waits: short. Longer than a question takes, so that a busy writer is sure all the time. */
const sureMs = 250;
/** The clocks of two machines run at nearly the same speed, and timers are late rather than early. */
export const successorWaitsMs = 1.2 * sureMs;

export class Term {
  #sureSince = Number.NEGATIVE_INFINITY;
  #sureSinceWall = Number.NEGATIVE_INFINITY;

  constructor(readonly epoch: number) {}

  /** PostgreSQL, asked then, had no newer epoch. */
  confirm(askedAt: Moment): void {
    if (askedAt.monotonicMs < this.#sureSince) return;
    this.#sureSince = askedAt.monotonicMs;
    this.#sureSinceWall = askedAt.wallMs;
  }

  /** Nobody else can have written anything yet. */
  get isSure(): boolean {
    return this.#age() < sureMs;
  }

  /** It is sure, but not for much longer. */
  get isWaning(): boolean {
    return this.#age() > sureMs / 2;
  }

  /** The monotonic clock of a machine that was asleep may not have run; the other one may be set at any time. */
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
