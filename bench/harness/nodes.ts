/**
 * Several Parley processes that are one server, and what each of them, PostgreSQL and Redis spend on a piece of work.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Member, type Plan, startCommunity } from "./community.ts";
import { Parley } from "./parley.ts";
import { BenchPostgres } from "./postgres.ts";
import { BenchRedis } from "./redis.ts";
import type { Setup } from "./setup.ts";

/** CPU in µs. */
export interface Spent<Result> {
  /** By node, in the order of `Nodes.all`. */
  nodes: number[];
  postgres: number;
  redis: number;
  wallMs: number;
  result: Result;
}

/**
 * A node is given realms to write 3 s after its start; the one before hands them over with its next announcement,
 * within a second. After this long without a change there is none to come, and a process that has just started is at
 * rest.
 */
const steadyMs = 5_000;
const settlingMs = 60_000;
const periodMs = 200;

export class Nodes {
  #writer: Parley;

  private constructor(
    private readonly setup: Setup,
    private readonly database: BenchPostgres,
    private readonly redis: BenchRedis,
    readonly all: Parley[],
    readonly members: readonly Member[],
    readonly channelIds: ReadonlyMap<string, number>,
  ) {
    this.#writer = all[0]!;
  }

  /** Makes the community and starts the first node. @throws Error when there is no Redis. */
  static async start(setup: Setup, plan: Plan): Promise<Nodes> {
    const redis = await BenchRedis.start(setup);
    const database = await BenchPostgres.start(setup);
    const { parley, members, channelIds } = await startCommunity(setup, database, { ...plan, redisUrl: redis.url });
    return new Nodes(setup, database, redis, [parley], members, channelIds);
  }

  get ports(): number[] {
    return this.all.map((node) => node.port);
  }

  get writer(): Parley {
    return this.#writer;
  }

  /** Nodes that do not write. */
  get followers(): Parley[] {
    return this.all.filter((node) => node !== this.#writer);
  }

  /** Starts or ends nodes until there are `count`, all with the realm in memory and one of them its writer for good. */
  async resize(count: number): Promise<void> {
    while (this.all.length > count) await this.all.pop()!.end();
    while (this.all.length < count) this.all.push(await Parley.start(this.setup, this.database, this.redis.url));
    for (const node of this.all) await node.call("GET", "/api/v1/users/me");
    const givenUpAt = performance.now() + settlingMs;
    let since = performance.now();
    let writer: Parley | undefined;
    while (writer === undefined || performance.now() - since < steadyMs) {
      if (performance.now() > givenUpAt) throw new Error(`no writer was settled on within ${settlingMs} ms`);
      const found = await this.#findWriter();
      if (found !== writer) since = performance.now();
      writer = found;
      await sleep(periodMs);
    }
    this.#writer = writer;
  }

  /** Runs `work` and says what everybody spent on it. */
  async spend<Result>(work: () => Promise<Result>): Promise<Spent<Result>> {
    const postgres = this.database.countCpu();
    const redisBefore = this.redis.cpuMicroseconds();
    const before = this.all.map((node) => node.cpuMicroseconds());
    const startedAt = performance.now();
    const result = await work();
    return {
      result,
      wallMs: performance.now() - startedAt,
      nodes: this.all.map((node, index) => node.cpuMicroseconds() - before[index]!),
      redis: this.redis.cpuMicroseconds() - redisBefore,
      postgres: postgres.read(),
    };
  }

  async #findWriter(): Promise<Parley | undefined> {
    const writers: Parley[] = [];
    for (const node of this.all) {
      if (/^parley_realms_written 1$/m.test(await node.metrics())) writers.push(node);
    }
    return writers.length === 1 ? writers[0] : undefined;
  }
}

/** What of `spent` would not have been spent in the same time without the work: `idle` is a stretch without any. */
export function beyond<Result>(spent: Spent<Result>, idle: Spent<unknown>): Spent<Result> {
  const share = spent.wallMs / idle.wallMs;
  return {
    ...spent,
    nodes: spent.nodes.map((node, index) => node - share * idle.nodes[index]!),
    redis: spent.redis - share * idle.redis,
    postgres: spent.postgres - share * idle.postgres,
  };
}
