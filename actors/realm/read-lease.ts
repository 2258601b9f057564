/**
 * How long a writer's node may answer reads without asking anybody.
 *
 * Only the writer commits, so its replica misses nothing while its epoch is the newest. PostgreSQL says whether the
 * epoch is the newest: when it is asked, and with each fenced commit. The answer holds for `leaseMs` from the moment of
 * the question: that is the lease. The next
 * writer first bumps the epoch, which ends the commits of the one before. Then it waits until every lease of the old
 * epoch has run out, unless the old writer has ended its term. So the lease is true whatever became of the old writer.
 * Redis has no part in it.
 */

/**
 * A successor waits as long, so it is short. It is longer than a question takes, so a busy writer always has a lease.
 */
const leaseMs = 250;
/** The fifth more is for clocks of two machines that differ in speed. Timers are late rather than early. */
export const successorWaitsMs = 1.2 * leaseMs;

export interface Moment {
  monotonicMs: number;
  wallMs: number;
}

export const thisMoment = (): Moment => ({ monotonicMs: performance.now(), wallMs: Date.now() });

const never: Moment = { monotonicMs: Number.NEGATIVE_INFINITY, wallMs: Number.NEGATIVE_INFINITY };

/**
 * Milliseconds since a moment by both clocks of this process: the monotonic one may stop while a machine sleeps, and
 * the other may be set at any time.
 */
function since(moment: Moment, now: Moment): number {
  const wall = now.wallMs - moment.wallMs;
  return wall < 0 ? Number.POSITIVE_INFINITY : Math.max(wall, now.monotonicMs - moment.monotonicMs);
}

/** Whether nobody else can have written anything yet, when PostgreSQL had no newer epoch at a moment. */
export const holdsLease = (confirmedAt: Moment, now: Moment): boolean => since(confirmedAt, now) < leaseMs;

/**
 * What a read at the writer's node waits for. Until a lease ends nobody else commits, so a commit under way that takes
 * long is all that the node may lack.
 */
export function judgeRead(isLeased: boolean, hasSlowCommit: boolean): "nothing" | "commit" | "storage" {
  if (!isLeased) return "storage";
  return hasSlowCommit ? "commit" : "nothing";
}

export class ReadLease {
  #confirmedAt = never;

  constructor(readonly epoch: number) {}

  /** PostgreSQL, asked at that moment or later, had no newer epoch. */
  confirm(askedAt: Moment): void {
    if (askedAt.monotonicMs >= this.#confirmedAt.monotonicMs) this.#confirmedAt = askedAt;
  }

  get isValid(): boolean {
    return holdsLease(this.#confirmedAt, thisMoment());
  }

  /** Whether more than half of it has passed. */
  get isRenewalDue(): boolean {
    return since(this.#confirmedAt, thisMoment()) > leaseMs / 2;
  }
}
