import { join } from "node:path";
import { Child } from "../harness/child.ts";
import { cpuMicroseconds } from "../harness/cpu.ts";
import type { Setup } from "../harness/setup.ts";
import type { ClosedLoop, ClosedLoopResult } from "./closed-loop.ts";
import type { Paced, PacedResult } from "./paced.ts";
import type { Dialect, Queue } from "./poll-set.ts";
import type { Rounds, RoundsResult } from "./rounds.ts";
import type { Steady, SteadyResult } from "./steady.ts";

/** For 17,000 connections of one process, beside five more that do the same on two cores. */
const parkMs = 600_000;

/** One load-generating process, driven from the bench. See `worker.ts` for what it does. */
export class LoadProcess {
  readonly #child: Child;

  get pid(): number {
    return this.#child.pid;
  }

  constructor(setup: Setup, name: string) {
    this.#child = new Child({
      script: new URL("worker.js", import.meta.url),
      logFile: join(setup.folder, `load-${name}.log`),
    });
    setup.atEnd(() => this.#child.end());
  }

  /** CPU time of the load generator so far, in µs: beside the wall time it tells whether it was the bottleneck. */
  cpuMicroseconds(): number {
    return cpuMicroseconds(this.#child.pid);
  }

  park(port: number, queues: readonly Queue[], dialect: Dialect = "events"): Promise<void> {
    return this.#child.ask("park", { port, queues, dialect }, parkMs);
  }

  /** Ends the parked polls' connections. Returns the queues with the ids of the last events they brought. */
  unpark(): Promise<Queue[]> {
    return this.#child.ask("unpark");
  }

  /** Messages that the parked polls have brought since they were parked. */
  delivered(): Promise<number> {
    return this.#child.ask("delivered");
  }

  sample(): Promise<{ head: string; body: string }> {
    return this.#child.ask("sample");
  }

  hold(load: Rounds): Promise<void> {
    return this.#child.ask("hold", load, load.timeoutMs + graceMs);
  }

  rounds(load: Rounds): Promise<RoundsResult> {
    return this.#child.ask("rounds", load, load.timeoutMs + graceMs);
  }

  /** Begins to wait for messages; resolves with the times at which they came, ms since 1970. */
  arrivals(count: number, timeoutMs: number): Promise<number[]> {
    return this.#child.ask("arrivals", { count, timeoutMs }, timeoutMs + graceMs);
  }

  paced(load: Paced): Promise<PacedResult> {
    return this.#child.ask("paced", load, load.timeoutMs + graceMs);
  }

  closedLoop(load: ClosedLoop): Promise<ClosedLoopResult> {
    return this.#child.ask("closedLoop", load, load.timeoutMs + graceMs);
  }

  beginSteady(load: Steady): Promise<void> {
    return this.#child.ask("beginSteady", load);
  }

  endSteady(patienceMs: number): Promise<SteadyResult> {
    return this.#child.ask("endSteady", patienceMs);
  }

  end(): Promise<void> {
    return this.#child.end();
  }
}

/** So that the worker's own, better worded time-out comes first. */
const graceMs = 5_000;
