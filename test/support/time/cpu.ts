/**
 * How much a process computes, in milliseconds of processor time (user and system, all its threads). A machine that is
 * busy with others changes it little, unlike the time on the wall.
 */

/** Processor time that this process has used. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The longest time for which one turn of this process's event loop has computed. */
export class LongestTurn {
  #longestMs = 0;
  #wallMs = performance.now();
  #cpuMs = cpuMs();
  readonly #timer = setInterval(() => this.#look(), 20);

  /** Ends the watch. A turn holds the loop for no longer than it lasts, and computes no more than the process. */
  stop(): number {
    clearInterval(this.#timer);
    this.#look();
    return this.#longestMs;
  }

  #look(): void {
    const wallMs = performance.now();
    const cpu = cpuMs();
    this.#longestMs = Math.max(this.#longestMs, Math.min(wallMs - this.#wallMs, cpu - this.#cpuMs));
    this.#wallMs = wallMs;
    this.#cpuMs = cpu;
  }
}

/** The longest turn of some work, in the best of three times: the process also collects and compiles now and then. */
export async function longestTurnOf(work: () => Promise<void>): Promise<number> {
  const turns: number[] = [];
  for (let n = 0; n < 3; n++) {
    const watch = new LongestTurn();
    await work().finally(() => turns.push(watch.stop()));
  }
  return Math.min(...turns);
}
