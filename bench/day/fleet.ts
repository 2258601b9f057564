/** The process of everybody who is online, driven from the bench. */
import { join } from "node:path";
import { Child } from "../harness/child.ts";
import { cpuMicroseconds } from "../harness/cpu.ts";
import type { Setup } from "../harness/setup.ts";
import type { CrewPlan } from "./crew.ts";
import type { Counts } from "./tally.ts";

/** Longer than any part of a day. */
const patienceMs = 1_800_000;

export class CrewProcess {
  readonly #child: Child;

  constructor(setup: Setup, name: string) {
    this.#child = new Child({
      script: new URL("worker.js", import.meta.url),
      logFile: join(setup.folder, `${name}.log`),
    });
    setup.atEnd(() => this.#child.end());
  }

  /** So far, in µs. */
  cpuMicroseconds = (): number => cpuMicroseconds(this.#child.pid);
  begin = (plan: CrewPlan): Promise<void> => this.#child.ask("begin", plan);
  join = (overMs: number): Promise<void> => this.#child.ask("join", overMs, patienceMs);
  work = (): Promise<void> => this.#child.ask("work");
  expectRestart = (): Promise<void> => this.#child.ask("expectRestart");
  served = (): Promise<void> => this.#child.ask("served");
  announce = (withinMs: number): Promise<void> => this.#child.ask("announce", withinMs, patienceMs);
  leave = (staying: number): Promise<void> => this.#child.ask("leave", staying);
  online = (): Promise<number> => this.#child.ask("online");
  take = (): Promise<Counts> => this.#child.ask("take");
  check = (patienceForMs: number): Promise<{ said: number; missed: number; twice: number }> =>
    this.#child.ask("check", patienceForMs, patienceMs);
}
