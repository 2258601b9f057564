/**
 * Work that takes milliseconds at a time, one piece in each turn of the event loop: whoever does little is served
 * between.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  /** Resolves in a turn that nobody else here was given. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(() => this.#grant());
    });
  }

  #grant(): void {
    this.#waiting[0]!();
    this.#waiting.shift();
    if (this.#waiting.length > 0) setImmediate(() => this.#grant());
  }
}
