/** What is watched while leaders change: when PostgreSQL can store something, and what `/health` says meanwhile. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ServerProcess } from "../server/server-process.ts";
import type { Member } from "./member.ts";
import type { Patroni } from "./patroni.ts";

const lookEveryMs = 100;
/** Longer, and PostgreSQL was not ready to store: a look takes some milliseconds where it is. */
const pauseMs = 500;
/** A health that says so later is not honest. A request waits for so long, and PostgreSQL is asked as long. */
const toldWithinMs = 12_000;
/** What comes just before the end of a silence may tell of the end. */
const overMs = 2000;

export class Watch {
  /** When a commit that came straight to a PostgreSQL was confirmed by it. */
  readonly #storedAt: number[] = [];
  readonly #healths: { node: number; at: number; isWell: boolean; text: string }[] = [];
  readonly #stop = new AbortController();
  readonly #tasks: Promise<void>[];

  constructor(patroni: Patroni, nodes: readonly ServerProcess[]) {
    this.#tasks = [
      ...patroni.members.map((member) => this.#tryToStore(member)),
      ...nodes.map(({ url }, index) => this.#watchHealth(url, index)),
    ];
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#tasks);
  }

  async #tryToStore(member: Member): Promise<void> {
    while (!this.#stop.signal.aborted) {
      // Only the one that leads confirms it; one that is cut off lets it wait until it does not lead any more.
      const isStored = await member.store().catch(() => false);
      if (isStored) this.#storedAt.push(performance.now());
      await sleep(lookEveryMs);
    }
    await member.endStoring();
  }

  async #watchHealth(url: string, node: number): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const at = performance.now();
      const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(3000) }).catch(() => undefined);
      this.#healths.push({ node, at, isWell: answer?.ok === true, text: (await answer?.text().catch(() => "")) ?? "" });
      await sleep(2 * lookEveryMs);
    }
  }

  /**
   * How long Parley stored nothing although PostgreSQL did, in ms: from when PostgreSQL confirmed commits again, one
   * after another, until the end of a silence.
   */
  lateBy(silence: { from: number; to: number }): number {
    const stored = this.#storedAt.filter((time) => time <= silence.to).sort((one, other) => one - other);
    const lastPause = stored.findLastIndex((time, index) => (stored[index + 1] ?? silence.to) - time > pauseMs);
    const since = stored[lastPause + 1] ?? silence.to;
    return Math.max(0, silence.to - Math.max(since, silence.from));
  }

  /** What `/health` said in silences that had lasted for long: that all is well. */
  dishonest(acknowledgedAt: readonly number[]): string[] {
    return acknowledgedAt.flatMap((to, index) => {
      const from = acknowledgedAt[index - 1] ?? to;
      const late = this.#healths.filter(({ at, isWell }) => isWell && at > from + toldWithinMs && at < to - overMs);
      return late.map(
        ({ node, at, text }) =>
          `node ${node}, ${Math.round(at - from)} ms into a silence of ${Math.round(to - from)} ms: ${text}`,
      );
    });
  }
}
