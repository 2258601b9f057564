/** What is watched while leaders change: how soon something can be stored, and what `/health` says meanwhile. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ServerProcess } from "../server/server-process.ts";
import type { Patroni } from "./patroni.ts";

interface Promotion {
  at: number;
  /** When PostgreSQL itself confirmed the first commit that came straight to it. */
  storesAt: number | undefined;
}

const lookEveryMs = 100;
/** A health that says so later is not honest. A request waits for so long, and PostgreSQL is asked as long. */
const toldWithinMs = 12_000;
/** What comes just before the end of a silence may tell of the end. */
const overMs = 2000;

export class Watch {
  readonly promotions: Promotion[] = [];
  readonly #healths: { at: number; isWell: boolean; text: string }[] = [];
  readonly #stop = new AbortController();
  readonly #tasks: Promise<void>[];

  constructor(patroni: Patroni, nodes: readonly ServerProcess[]) {
    this.#tasks = [this.#watchMembers(patroni), ...nodes.map(({ url }) => this.#watchHealth(url))];
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#tasks);
  }

  async #watchMembers({ members }: Patroni): Promise<void> {
    const known = members.map(({ promotedAt }) => promotedAt.length);
    while (!this.#stop.signal.aborted) {
      for (const [index, member] of members.entries()) {
        const at = member.promotedAt[known[index]!];
        if (at === undefined) continue;
        known[index]!++;
        const promotion: Promotion = { at, storesAt: undefined };
        this.promotions.push(promotion);
        this.#tasks.push(this.#tryToStore(member, promotion));
      }
      await sleep(lookEveryMs);
    }
  }

  async #tryToStore(member: Patroni["members"][number], promotion: Promotion): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await member.ask("select pg_logical_emit_message(true, 'probe', '')");
        promotion.storesAt = performance.now();
        return;
      } catch {
        await sleep(lookEveryMs / 2);
      }
    }
  }

  async #watchHealth(url: string): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const at = performance.now();
      const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(3000) }).catch(() => undefined);
      this.#healths.push({ at, isWell: answer?.ok === true, text: (await answer?.text().catch(() => "")) ?? "" });
      await sleep(2 * lookEveryMs);
    }
  }

  /** How long after each promotion, and after the first commit that was possible then, Parley stored something. */
  gaps(acknowledgedAt: readonly number[]): { afterPromotion: number; afterFirstCommit: number }[] {
    return this.promotions.flatMap(({ at, storesAt }) => {
      const first = acknowledgedAt.find((time) => time > at);
      if (first === undefined) return [];
      return [{ afterPromotion: first - at, afterFirstCommit: Math.max(0, first - (storesAt ?? at)) }];
    });
  }

  /** What `/health` said in silences that had lasted for long: that all is well. */
  dishonest(acknowledgedAt: readonly number[]): string[] {
    return acknowledgedAt.flatMap((to, index) => {
      const from = acknowledgedAt[index - 1] ?? to;
      const late = this.#healths.filter(({ at, isWell }) => isWell && at > from + toldWithinMs && at < to - overMs);
      return late.map(
        ({ at, text }) => `${Math.round(at - from)} ms into a silence of ${Math.round(to - from)} ms: ${text}`,
      );
    });
  }
}
