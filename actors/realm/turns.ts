/**
 * Work that takes milliseconds at a time. Each turn of the event loop does one piece, and short requests are served in
 * between.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  /** Resolves in a turn of the event loop that no other caller has. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(() => this.#grant());
    });
  }

  #grant(): void {
    const [grant] = this.#waiting;
    grant?.();
    this.#waiting.shift();
    if (this.#waiting.length > 0) setImmediate(() => this.#grant());
  }
}
