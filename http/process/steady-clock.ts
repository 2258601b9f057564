/**
 * Time that only goes forward, one second a second, whatever is done to the machine's clock: for time-outs. What is
 * shown or stored is told by the machine's clock, which may be set at any moment.
 */

/** Clocks that are slewed, as they should be, never differ by so much all at once. */
const stepSecs = 30;

export class SteadyClock {
  readonly #began = wall() - elapsed();
  #ahead = this.#began;
  #since = Math.floor(wall());

  /** Seconds that have passed since the machine's clock said 1970 when this began. */
  seconds(): number {
    return Math.floor(this.exact());
  }

  /** The same with fractions. */
  exact(): number {
    return this.#began + elapsed();
  }

  /** Since when the machine's clock has run without being set, as it tells now: UNIX seconds. */
  since(): number {
    const ahead = wall() - elapsed();
    if (Math.abs(ahead - this.#ahead) > stepSecs) {
      this.#ahead = ahead;
      this.#since = Math.floor(wall());
    }
    return this.#since;
  }
}

const wall = (): number => Date.now() / 1000;
const elapsed = (): number => performance.now() / 1000;
