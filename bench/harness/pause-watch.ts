/**
 * Watches how late this process's event loop gets to a timer. Time that the thread was ready and had no CPU is not the
 * server's: Linux counts it for each thread (`/proc/<pid>/task/<tid>/schedstat`, its second number, in ns), and it is
 * taken off.
 */
import { closeSync, openSync, readSync } from "node:fs";

export interface Pause {
  /** Its length; 0 when there was none. */
  ms: number;
  /** When it was over, in ms since the epoch. */
  endedAtMs: number;
}

/** Timer period of the watch, in ms; a pause shows as the lateness of a tick of this length. */
const periodMs = 1;
const nanosecondsPerMillisecond = 1e6;

export class PauseWatch {
  readonly #schedule = openSchedule();
  readonly #read = Buffer.alloc(128);
  #longest: Pause = { ms: 0, endedAtMs: Date.now() };
  #lastTick = performance.now();
  #lastWait = this.#waitedMs();
  readonly #timer = setInterval(() => this.#tick(), periodMs);

  constructor() {
    this.#timer.unref();
  }

  /** Ends the watch. Returns the longest pause. */
  end(): Pause {
    this.#tick();
    clearInterval(this.#timer);
    if (this.#schedule !== undefined) closeSync(this.#schedule);
    return this.#longest;
  }

  #tick(): void {
    const now = performance.now();
    const waited = this.#waitedMs();
    const ms = now - this.#lastTick - periodMs - (waited - this.#lastWait);
    if (ms > this.#longest.ms) this.#longest = { ms, endedAtMs: Date.now() };
    this.#lastTick = now;
    this.#lastWait = waited;
  }

  /** For how long this thread has been ready without a CPU. Elsewhere than on Linux nobody says. */
  #waitedMs(): number {
    if (this.#schedule === undefined) return 0;
    const length = readSync(this.#schedule, this.#read, 0, this.#read.length, 0);
    return Number(this.#read.toString("latin1", 0, length).split(" ")[1]) / nanosecondsPerMillisecond;
  }
}

/** The main thread's has the number of its process. */
function openSchedule(): number | undefined {
  try {
    return openSync(`/proc/${process.pid}/task/${process.pid}/schedstat`, "r");
  } catch {
    return undefined;
  }
}
