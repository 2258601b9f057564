/** What has begun, and how each part of it ends: in reverse, by a stop, or because a later part could not begin. */
export class Undo {
  readonly #steps: (() => unknown)[] = [];

  /** Adds how the part that has just begun ends. */
  add(end: () => unknown): void {
    this.#steps.push(end);
  }

  /** Ends all parts, the last one first, each once. One that fails keeps no other from ending. @throws its failure */
  async all(): Promise<void> {
    const failures: unknown[] = [];
    for (let end = this.#steps.pop(); end; end = this.#steps.pop()) {
      try {
        await end();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
