/**
 * Time that only goes forward, one second a second, even if the machine's clock is set: for time-outs. Times that are
 * shown or stored come from the machine's clock.
 */

/** A larger difference means that the clock was set. Slewing never changes it by so much at once. */
const stepSecs = 30;

export class SteadyClock {
  readonly #began = wall() - elapsed();
  #ahead = this.#began;
  #since = Math.floor(wall());

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
