/**
 * What came through Redis without being from a node of this installation. It is always counted, and logged at most once
 * a minute.
 */
import type { Logger } from "../logger.ts";

const everyMs = 60_000;

export class Refusals {
  #unsaid = 0;
  #saidAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly log: Logger,
    private readonly count: (what: string) => void,
  ) {}

  refuse(what: string): void {
    this.count(what);
    this.#unsaid++;
    const now = performance.now();
    if (now - this.#saidAt < everyMs) return;
    this.log.warn({ what, count: this.#unsaid }, "Redis holds what no node of this installation has put there");
    this.#saidAt = now;
    this.#unsaid = 0;
  }
}
