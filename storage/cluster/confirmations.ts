/** Which messages Redis has not confirmed, and whether it has been silent for too long. */
import { doubtMs } from "./way.ts";

export class Confirmations {
  /** When messages were handed to Redis that it has not confirmed, the oldest first. */
  readonly #unconfirmed = new Set<{ at: number }>();
  #isDoubted = false;
  #doubting: NodeJS.Timeout | undefined;

  /** Whether Redis has not confirmed a message in time, and none since. */
  get isDoubted(): boolean {
    return this.#isDoubted;
  }

  /** The outcome of a message that is handed to Redis. */
  async watch<T>(publish: () => Promise<T>): Promise<T> {
    const sent = { at: performance.now() };
    this.#unconfirmed.add(sent);
    this.#awaitOldest();
    try {
      return await publish();
    } finally {
      this.#unconfirmed.delete(sent);
      this.#isDoubted = false;
      this.#awaitOldest();
    }
  }

  #awaitOldest(): void {
    const [oldest] = this.#unconfirmed;
    if (this.#doubting || !oldest) return;
    const ms = Math.max(1, oldest.at + doubtMs - performance.now());
    // A process that was starved first reads what came meanwhile.
    this.#doubting = setTimeout(() => setImmediate(() => this.#look()), ms);
  }

  #look(): void {
    this.#doubting = undefined;
    const [oldest] = this.#unconfirmed;
    if (oldest && performance.now() - oldest.at >= doubtMs) this.#isDoubted = true;
    else this.#awaitOldest();
  }
}

/** Whether work ends before Redis is in doubt. A process that was starved first reads what came meanwhile. */
export async function isSoon(work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => setImmediate(resolve, false), doubtMs);
  });
  const settled = work.then(
    () => true,
    () => true,
  );
  const isSettled = await Promise.race([settled, late]);
  clearTimeout(timer);
  return isSettled;
}
