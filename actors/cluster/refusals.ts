/**
 * Counts what Redis holds that no node of this installation has put there. It is logged at most once a minute.
 */
import type { Logger } from "../logger.ts";

const everyMs = 60_000;

export class Refusals {
  #unlogged = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly log: Logger,
    private readonly count: (what: string) => void,
  ) {}

  refuse(what: string): void {
    this.count(what);
    this.#unlogged++;
    const now = performance.now();
    if (now - this.#loggedAt < everyMs) return;
    this.log.warn({ what, count: this.#unlogged }, "Redis holds what no node of this installation has put there");
    this.#loggedAt = now;
    this.#unlogged = 0;
  }
}
