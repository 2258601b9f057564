/**
 * One run of work serves everybody who asked before it began. One run is under way at a time, and those who ask
 * meanwhile share the next one. So an answer is never older than its question. At most two runs are due, however many
 * ask.
 */
export class SharedWork<T = void> {
  #running: Promise<T> | undefined;
  #next: Promise<T> | undefined;

  constructor(private readonly work: () => Promise<T>) {}

  /** Resolves when a run that began after this call has ended. @throws what it threw */
  run(): Promise<T> {
    if (this.#next) return this.#next;
    if (!this.#running) return this.#begin();
    const begin = () => this.#begin();
    this.#next = this.#running.then(begin, begin);
    return this.#next;
  }

  #begin(): Promise<T> {
    this.#next = undefined;
    const run = this.work().finally(() => {
      if (this.#running === run) this.#running = undefined;
    });
    this.#running = run;
    return run;
  }
}
