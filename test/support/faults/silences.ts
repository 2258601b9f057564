import type { Happened } from "./fault-schedule.ts";

/** How long a fault may take to show, and to heal when it is over: what is silent later has other causes. */
const aftermathMs = 1000;

/** For how long nothing was acknowledged while a fault lasted, by kind. Faults may lie one over the other. */
export class Silences {
  readonly #byKind = new Map<string, number[]>();

  /** @param acknowledgedAt ascending */
  add(acknowledgedAt: readonly number[], happened: readonly Happened[]): void {
    for (const { kind, beganAt, endedAt } of happened) {
      let longest = 0;
      for (let index = 1; index < acknowledgedAt.length; index++) {
        const [from, to] = [acknowledgedAt[index - 1]!, acknowledgedAt[index]!];
        if (to >= beganAt && from <= endedAt + aftermathMs) longest = Math.max(longest, to - from);
      }
      this.#byKind.set(kind, [...(this.#byKind.get(kind) ?? []), longest]);
    }
  }

  /** A line for each kind: how many, and the median and the longest in milliseconds. */
  table(): string {
    const lines = [...this.#byKind].sort().map(([kind, all]) => {
      const sorted = all.sort((a, b) => a - b);
      const [median, longest] = [sorted[Math.floor(sorted.length / 2)]!, sorted.at(-1)!];
      return `${kind.padEnd(26)} ${String(all.length).padStart(4)} ${median.toFixed(0).padStart(8)} ${longest.toFixed(0).padStart(8)}`;
    });
    return ["number, median and longest time (ms) without an acknowledged send, by fault", ...lines].join("\n");
  }
}
