/**
 * Time that only goes forward, one second a second, even if the machine's clock is set: for time-outs. Times that are
 * shown or stored come from the machine's clock.
 */

/** A larger difference means that the clock was set. Slewing never changes it by so much at once. */
const stepSecs = 30;

/** Since when a clock has run without being set. */
export interface Run {
  /** By how much it is ahead of the time that has elapsed. */
  ahead: number;
  /** UNIX seconds. */
  since: number;
}

/** The clock's run as it is now: it goes on, or a new one has begun. */
export function runOf(before: Run, wall: number, elapsed: number): Run {
  const ahead = wall - elapsed;
  return Math.abs(ahead - before.ahead) > stepSecs ? { ahead, since: Math.floor(wall) } : before;
}

export class SteadyClock {
  readonly #began = wall() - elapsed();
  #run: Run = { ahead: this.#began, since: Math.floor(wall()) };

  /** Steady seconds, which equalled the machine's UNIX seconds when this began. */
  seconds(): number {
    return Math.floor(this.exact());
  }

  /** The same with fractions. */
  exact(): number {
    return this.#began + elapsed();
  }

  /** Since when the machine's clock has run without being set: UNIX seconds by the clock as it is now. */
  since(): number {
    this.#run = runOf(this.#run, wall(), elapsed());
    return this.#run.since;
  }
}

const wall = (): number => Date.now() / 1000;
const elapsed = (): number => performance.now() / 1000;
