/**
 * For how long is no send acknowledged when a part of the server goes away?
 *
 * Setup: three Parley processes share one PostgreSQL and one Redis. At each of them a message is sent every 25 ms,
 * whatever becomes of those before it. Then one of these happens, several times over:
 *
 * - the process that writes is killed (`kill -9`);
 * - the connection to PostgreSQL that carries a commit says nothing more, and all others go on;
 * - Redis says nothing more (SIGSTOP), or is killed;
 * - Redis is killed, and a moment later the process that writes.
 *
 * What happens when another PostgreSQL becomes the primary is measured by `primary.ts`.
 *
 * Units: ms, from an acknowledged send to the next one. Of Redis it is the longest of the three processes' own, since
 * each of them is to go on. Otherwise all count together, since a dead one acknowledges nothing.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Parley } from "../harness/parley.ts";
import { BenchPostgres } from "../harness/postgres.ts";
import { BenchRedis } from "../harness/redis.ts";
import type { Bench, Row } from "../harness/report.ts";
import type { Setup } from "../harness/setup.ts";
import { median } from "../harness/statistics.ts";
import { Wire } from "../harness/wire.ts";
import { basic } from "../load/request.ts";
import { longestGap } from "./gaps.ts";

const processCount = 3;
const sendEveryMs = 25;
const rounds = 5;
/** Longer than any client that has somewhere else to go waits. */
const sendTimeoutMs = 15_000;
/** How long a fault is watched, and how long there was none before it. */
const watchMs = 10_000;
const calmMs = 6_000;
const settlingMs = 120_000;
/** How long Redis has been gone when the writer dies as well. */
const withoutRedisMs = 2_000;
/** In every message, so that a commit is known by it. */
const word = "outage bench says";

/** The bounds that the project set itself. */
const mostAfterKillMs = 2500;
const mostAfterSilenceMs = 5000;
const mostWithoutRedisMs = 500;

interface Node {
  parley: Parley;
  wire: Wire;
  /** When its sends were acknowledged, by `performance.now()`. */
  readonly acknowledgedAt: number[];
  timer: NodeJS.Timeout;
}

export const outage: Bench = {
  name: "outage",
  question: "For how long is no send acknowledged when a part of the server goes away?",
  async run(setup) {
    const times = setup.quick ? 1 : rounds;
    const cluster = await Cluster.start(setup);
    const faults: { fault: string; each: boolean; limit: number; happen(): Promise<() => Promise<void>> }[] = [
      {
        fault: "the writer's process is killed",
        each: false,
        limit: mostAfterKillMs,
        happen: () => cluster.killWriter(),
      },
      {
        fault: "a connection to PostgreSQL is silent",
        each: false,
        limit: mostAfterSilenceMs,
        happen: () => cluster.silenceCommit(),
      },
      { fault: "Redis is silent", each: true, limit: mostWithoutRedisMs, happen: () => cluster.silenceRedis() },
      { fault: "Redis is killed", each: true, limit: mostWithoutRedisMs, happen: () => cluster.killRedis() },
      {
        fault: "the writer's process is killed without Redis",
        each: false,
        limit: mostAfterKillMs,
        happen: () => cluster.killWriterWithoutRedis(),
      },
    ];
    const rows: Row[] = [];
    const bounds = [];
    for (const { fault, each, limit, happen } of faults.filter(({ fault }) => fault.includes(setup.only ?? ""))) {
      const gaps: number[] = [];
      const calm: number[] = [];
      for (let round = 0; round < times; round++) {
        await cluster.settle();
        const startedAt = performance.now();
        calm.push(cluster.longestGap(startedAt - calmMs / 2, each));
        const heal = await happen();
        await sleep(watchMs);
        gaps.push(cluster.longestGap(startedAt, each));
        setup.log(`${fault}: ${gaps.at(-1)!.toFixed(0)} ms`);
        await heal();
      }
      rows.push({ fault, times, calmMs: median(calm), medianMs: median(gaps), longestMs: Math.max(...gaps) });
      const what = `ms without an acknowledged send${each ? ", of each process" : ""}: ${fault} (median)`;
      bounds.push({ what, value: median(gaps), limit, sense: "most", kind: "machine" } as const);
    }
    cluster.stopSending();
    return {
      columns: [
        { key: "fault", label: "fault" },
        { key: "times", label: "times", digits: 0 },
        { key: "calmMs", label: "median ms before", digits: 0 },
        { key: "medianMs", label: "median ms", digits: 0 },
        { key: "longestMs", label: "longest ms", digits: 0 },
      ],
      rows,
      bounds,
      plots: [],
      notes: [
        `A message is sent to each of ${processCount} processes every ${sendEveryMs} ms; the lease is the usual one. A fault is watched for ${watchMs / 1000} s. “Before” is the longest time in the ${calmMs / 2000} s before it: what the machine itself takes.`,
      ],
    };
  },
};

class Cluster {
  #nodes: Node[] = [];
  #number = 0;
  #lastRefusal = "well";

  private constructor(
    private readonly setup: Setup,
    private readonly database: BenchPostgres,
    private readonly redis: BenchRedis,
  ) {}

  static async start(setup: Setup): Promise<Cluster> {
    const cluster = new Cluster(setup, await BenchPostgres.start(setup), await BenchRedis.start(setup));
    while (cluster.#nodes.length < processCount) await cluster.#add();
    setup.atEnd(() => cluster.stopSending());
    return cluster;
  }

  stopSending(): void {
    for (const { timer } of this.#nodes) clearInterval(timer);
  }

  /** The longest time since the last acknowledgement before `from`, of all together or of the worst node by itself. */
  longestGap(from: number, each: boolean): number {
    const all = this.#nodes.map(({ acknowledgedAt }) => acknowledgedAt);
    const lists = each ? all : [all.flat().sort((a, b) => a - b)];
    return longestGap(lists, from);
  }

  /** Waits until every node acknowledges, and one and the same has written for a while. */
  async settle(): Promise<void> {
    const givenUpAt = performance.now() + settlingMs;
    let calmSince = performance.now();
    let writer: Node | undefined;
    while (performance.now() - calmSince < calmMs) {
      if (performance.now() > givenUpAt)
        throw new Error(
          `the processes did not come to rest within ${settlingMs} ms; a send was answered ${this.#lastRefusal}`,
        );
      const found = await this.#writer();
      const haveAcknowledged = this.#nodes.every(
        ({ acknowledgedAt }) => performance.now() - acknowledgedAt.at(-1)! < 1000,
      );
      if (found === undefined || found !== writer || !haveAcknowledged) calmSince = performance.now();
      writer = found;
      await sleep(200);
    }
    for (const { acknowledgedAt } of this.#nodes) acknowledgedAt.splice(0, Math.max(0, acknowledgedAt.length - 400));
  }

  async killWriter(): Promise<() => Promise<void>> {
    const node = (await this.#writer())!;
    process.kill(node.parley.pid, "SIGKILL");
    return async () => {
      clearInterval(node.timer);
      this.#nodes = this.#nodes.filter((one) => one !== node);
      await this.#add();
    };
  }

  async killWriterWithoutRedis(): Promise<() => Promise<void>> {
    const restoreRedis = await this.killRedis();
    await sleep(withoutRedisMs);
    const replaceWriter = await this.killWriter();
    return async () => {
      await restoreRedis();
      await replaceWriter();
    };
  }

  async silenceCommit(): Promise<() => Promise<void>> {
    await Promise.race(this.#nodes.map(({ wire }) => wire.silenceNext(word)));
    for (const { wire } of this.#nodes) wire.leave();
    return async () => {
      for (const { wire } of this.#nodes) wire.speak();
    };
  }

  async silenceRedis(): Promise<() => Promise<void>> {
    this.redis.signal("SIGSTOP");
    return async () => this.redis.signal("SIGCONT");
  }

  async killRedis(): Promise<() => Promise<void>> {
    await this.redis.kill();
    return () => this.redis.startAgain();
  }

  async #add(): Promise<void> {
    const { setup, database, redis } = this;
    const wire = await Wire.start(setup, database.url);
    const parley = await Parley.start(setup, database, redis.url, { DATABASE_URL: wire.url });
    const acknowledgedAt: number[] = [];
    const timer = setInterval(() => void this.#send(parley, acknowledgedAt), sendEveryMs);
    this.#nodes.push({ parley, wire, acknowledgedAt, timer });
  }

  async #send({ port, owner }: Parley, acknowledgedAt: number[]): Promise<void> {
    const body = new URLSearchParams({
      type: "channel",
      to: "general",
      topic: "outage",
      content: `${word} ${++this.#number}`,
    });
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/messages`, {
        method: "POST",
        headers: { authorization: basic(owner) },
        body,
        signal: AbortSignal.timeout(sendTimeoutMs),
      });
      if (answer.ok) acknowledgedAt.push(performance.now());
      const text = await answer.text();
      if (!answer.ok) this.#lastRefusal = text;
    } catch {
      // It is gone: that is what is measured.
    }
  }

  async #writer(): Promise<Node | undefined> {
    const writing: Node[] = [];
    for (const node of this.#nodes) {
      const text = await node.parley.metrics().catch(() => "");
      if (/^parley_realms_written 1$/m.test(text)) writing.push(node);
    }
    return writing.length === 1 ? writing[0] : undefined;
  }
}
