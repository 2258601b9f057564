/**
 * Nodes that are one server, as processes, on one PostgreSQL and one Redis. A load over all of them has to come through
 * whatever a test does meanwhile.
 */

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { freePort } from "../../../storage/embedded-postgres/port.ts";
import { ApiClient, expectSuccess, type JsonObject } from "../client/api.ts";
import { askAsOperator } from "../client/as-operator.ts";
import { type ServerProcess, startServerProcess } from "../server/server-process.ts";
import { startTcpProxy, type TcpProxy } from "../server/tcp-proxy.ts";
import { testSecret } from "../server/template.ts";
import { until } from "../time/until.ts";
import { checkHistory } from "./history.ts";
import { GroupMaker, Poller, Sender } from "./load.ts";

const clockModule = new URL("../server/set-clock.mjs", import.meta.url).href;
const clockFile = "clock";

export interface ClusterOptions {
  /** Of all nodes, or of each. */
  databaseUrl: string | readonly string[];
  redisUrl: string;
  /** Settings of every node. */
  environment?: Record<string, string>;
  /** Gives all nodes a clock that can be set. */
  hasClock?: boolean;
  /** Leads each node to both services through wires of its own. */
  hasWires?: boolean;
  /** Three unless told. */
  nodeCount?: number;
  /** Where the nodes' data folder is made; among the temporary files unless told. */
  disk?: string | undefined;
}

/** What one node reaches each service by. */
export interface Wires {
  redis: TcpProxy;
  postgres: TcpProxy;
}

export interface Figures {
  acknowledged: number;
  /** The longest time in which nobody's send was acknowledged. */
  longestSilenceMs: number;
  /** When sends were acknowledged, ascending, by `performance.now()`. */
  acknowledgedAt: readonly number[];
  /** The longest that an acknowledged message took to a queue. */
  latestDeliveryMs: number;
}

interface Replica {
  is_writer: boolean;
  position: number;
  digest: string;
}

export class TestCluster {
  readonly nodes: ServerProcess[] = [];
  readonly wires: Wires[] = [];
  channelId = 0;
  #apiKey = "";
  #loads = 0;

  private constructor(
    /** The nodes' data folder. */
    readonly folder: string,
    private readonly environments: readonly Record<string, string>[],
  ) {}

  static async start({
    databaseUrl,
    redisUrl,
    environment,
    hasClock,
    hasWires,
    nodeCount = 3,
    disk = tmpdir(),
  }: ClusterOptions): Promise<TestCluster> {
    const folder = await mkdtemp(join(disk, "parley-cluster-"));
    const wires: Wires[] = [];
    const environments: Record<string, string>[] = [];
    for (let index = 0; index < nodeCount; index++) {
      const url = typeof databaseUrl === "string" ? databaseUrl : databaseUrl[index]!;
      const own = { DATABASE_URL: url, REDIS_URL: redisUrl };
      if (hasWires) {
        const wire = { redis: await proxyOf(redisUrl), postgres: await proxyOf(url) };
        wires.push(wire);
        own.DATABASE_URL = wire.postgres.through(url);
        own.REDIS_URL = wire.redis.through(redisUrl);
      }
      const port = String(await freePort());
      const clock = hasClock && { NODE_OPTIONS: `--import ${clockModule}`, TEST_CLOCK: join(folder, clockFile) };
      environments.push({
        ...own,
        ...clock,
        PORT: port,
        PARLEY_DATA_DIR: folder,
        PARLEY_SECRET_KEY: testSecret,
        PARLEY_DEV: "1",
        ...environment,
      });
    }
    const cluster = new TestCluster(folder, environments);
    cluster.wires.push(...wires);
    try {
      await cluster.#begin(environments);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  async #begin(environments: readonly Record<string, string>[]): Promise<void> {
    // The first one makes the organization.
    this.nodes.push(await startServerProcess(environments[0]!));
    const others = await Promise.allSettled(
      environments.slice(1).map((environment) => startServerProcess(environment)),
    );
    for (const other of others) if (other.status === "fulfilled") this.nodes.push(other.value);
    for (const other of others) if (other.status === "rejected") throw other.reason;
    this.#apiKey = /^key=(.+)$/m.exec(await readFile(join(this.folder, "owner.zuliprc"), "utf8"))![1]!;
    const channel = expectSuccess(await this.clients[0]!.get("/get_stream_id", { stream: "general" }));
    this.channelId = channel["stream_id"] as number;
  }

  /** Sets the clock of all nodes, which go by it within a moment; they need `hasClock`. */
  setClock(aheadSecs: number): Promise<void> {
    return writeFile(join(this.folder, clockFile), String(aheadSecs));
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
    await Promise.all(this.wires.flatMap(({ redis, postgres }) => [redis.stop(), postgres.stop()]));
    await rm(this.folder, { recursive: true, force: true });
  }

  /** One per node, all of them the owner's. */
  get clients(): ApiClient[] {
    return this.nodes.map(({ url }) => new ApiClient({ url, email: "owner@example.com", apiKey: this.#apiKey }));
  }

  /** Starts a node that was killed or stopped, again and again until it stays up, as a supervisor would. */
  async startAgain(index: number): Promise<void> {
    const failures: string[] = [];
    try {
      await until(
        `node ${index} to start`,
        async () => {
          try {
            this.nodes[index] = await startServerProcess(this.environments[index]!);
            return true;
          } catch (error) {
            failures.push((error as Error).message);
            return false;
          }
        },
        240_000,
      );
    } catch (error) {
      const last = failures.slice(-3).map((failure) => failure.slice(-2000));
      throw new Error(`${(error as Error).message}, after ${failures.length} attempts: ${last.join("\n---\n")}`);
    }
  }

  /** Which node writes the organization, by its metrics; -1 while none does. */
  async writer(): Promise<number> {
    return (await this.#writes()).indexOf(true);
  }

  /** How many nodes think that they write; undefined while one does not answer. */
  async writerCount(): Promise<number | undefined> {
    const writes = await this.#writes();
    return writes.includes(undefined) ? undefined : writes.filter(Boolean).length;
  }

  async #writes(): Promise<(boolean | undefined)[]> {
    const texts = await Promise.all(this.nodes.map(({ url }) => ask(`${url}/metrics`)));
    return texts.map((text) => (text === undefined ? undefined : /^parley_realms_written [1-9]/m.test(text)));
  }

  /**
   * The next connection to PostgreSQL over which any node asks `word` goes silent. Resolves with that node's number
   * when it has.
   */
  async strandNext(word: string, lost: "questions" | "answers"): Promise<number> {
    const index = await Promise.race(
      this.wires.map(async ({ postgres }, number) => {
        await postgres.strandNext(word, lost);
        return number;
      }),
    );
    for (const { postgres } of this.wires) postgres.restore();
    return index;
  }

  /** What a node counts under that name; 0 while it does not say. */
  async metric(index: number, name: string): Promise<number> {
    const text = await ask(`${this.nodes[index]!.url}/metrics`);
    return Number(new RegExp(`^${name} (\\d+)`, "m").exec(text ?? "")?.[1] ?? 0);
  }

  /** Which node writes the organization, as soon as one does and says so. */
  async someWriter(): Promise<number> {
    let index = -1;
    await until("a writer", async () => {
      index = await this.writer();
      return index >= 0;
    });
    return index;
  }

  /** Waits until all replicas have come equally far, and checks that they are the same. */
  async expectEqualReplicas(): Promise<void> {
    let replicas: (Replica | undefined)[] = [];
    const areEquallyFar = async () => {
      replicas = await Promise.all(this.nodes.map(({ url }) => this.#replica(url)));
      return new Set(replicas.map((replica) => replica?.position)).size === 1 && replicas[0] !== undefined;
    };
    await until("all replicas to have come equally far", areEquallyFar).catch((error: Error) => {
      throw new Error(`${error.message}; ${placesOf(replicas)}`);
    });
    expect(new Set(replicas.map((replica) => replica!.digest)).size, placesOf(replicas)).toBe(1);
  }

  /** Runs a load over all nodes, does what `disturb` does in the middle, and checks what everybody got. */
  async survive(
    sizes: { queues: number; senders: number; isPinned?: boolean },
    disturb: (acknowledged: () => number) => Promise<void>,
  ): Promise<Figures> {
    const load = ++this.#loads;
    const place = { channelId: this.channelId, topic: `load ${load}` };
    const { clients } = this;
    const startingWith = (index: number) => [...clients.slice(index), ...clients.slice(0, index)];
    const pollers: Poller[] = [];
    const registration = {
      event_types: ["message"],
      narrow: [
        ["channel", "general"],
        ["topic", place.topic],
      ],
      idle_queue_timeout: 600,
    };
    for (let index = 0; index < sizes.queues; index++) {
      // Each queue is polled where it was registered, and goes on elsewhere when that node is gone.
      const order = startingWith(index % clients.length);
      const answer = expectSuccess(await order[0]!.post("/register", registration));
      pollers.push(new Poller(order, answer["queue_id"] as string, answer["last_event_id"] as number));
    }
    const senders = Array.from({ length: sizes.senders }, (_, index) => {
      const order = startingWith(index % clients.length);
      return new Sender(`sender ${index}`, sizes.isPinned ? order.slice(0, 1) : order, place);
    });
    const groups = new GroupMaker(`load ${load} group`, clients);
    const acknowledged = () => senders.reduce((sum, sender) => sum + sender.acknowledgedCount, 0);
    for (const task of [...pollers, ...senders, groups]) task.start();
    try {
      await until("the load to run", () => acknowledged() >= 100 && groups.made.size > 0, 90_000);
      await disturb(acknowledged);
      const goal = acknowledged() + 200;
      await until("the load to go on", () => acknowledged() >= goal, 120_000);
      await Promise.all([...senders, groups].map((task) => task.stop()));
      await checkHistory(clients[0]!, place, senders, pollers);
      await this.expectEqualReplicas();
      await this.#checkGroups(groups.made);
      return figuresOf(senders, pollers);
    } finally {
      await Promise.all([...senders, ...pollers, groups].map((task) => task.stop()));
    }
  }

  /** What was acknowledged is in every node's replica. */
  async #checkGroups(made: ReadonlyMap<string, number>): Promise<void> {
    for (const client of this.clients) {
      const groups = expectSuccess(await client.get("/user_groups"))["user_groups"] as { id: number; name: string }[];
      const ids = new Map(groups.map(({ id, name }) => [name, id]));
      const lost = [...made].filter(([name, id]) => ids.get(name) !== id);
      expect(lost, "groups acknowledged, but not there").toEqual([]);
    }
  }

  async #replica(url: string): Promise<Replica | undefined> {
    const text = await ask(`${url}/replicas`);
    return text === undefined ? undefined : ((JSON.parse(text) as JsonObject)["replicas"] as Replica[])[0];
  }
}

/** Each node's position in the log, and what it made of the log up to there. */
const placesOf = (replicas: readonly (Replica | undefined)[]) =>
  replicas
    .map((replica, index) => {
      const place = replica && `position ${replica.position}${replica.is_writer ? ", writes" : ""}, ${replica.digest}`;
      return `node ${index}: ${place ?? "no answer"}`;
    })
    .join("; ");

const proxyOf = (url: string) => startTcpProxy(Number(new URL(url).port));

/** The text of a page; undefined when its node is down or does not answer. */
async function ask(url: string): Promise<string | undefined> {
  try {
    const answer = await askAsOperator(url, { signal: AbortSignal.timeout(2000) });
    return answer.ok ? await answer.text() : undefined;
  } catch {
    return undefined;
  }
}

function figuresOf(senders: readonly Sender[], pollers: readonly Poller[]): Figures {
  const sent = senders.flatMap(({ acknowledged }) => acknowledged);
  const acknowledgedAt = sent.map((one) => one.acknowledgedAt!).sort((a, b) => a - b);
  const atOf = new Map(sent.map(({ id, acknowledgedAt }) => [id, acknowledgedAt!]));
  const deliveries = pollers.flatMap(({ messageIds, receivedAt }) =>
    messageIds.map((id, index) => receivedAt[index]! - (atOf.get(id) ?? Number.POSITIVE_INFINITY)),
  );
  const longest = (ms: readonly number[]) => Math.round(ms.reduce((one, other) => Math.max(one, other), 0));
  return {
    acknowledged: sent.length,
    longestSilenceMs: longest(acknowledgedAt.map((time, index) => time - (acknowledgedAt[index - 1] ?? time))),
    acknowledgedAt,
    latestDeliveryMs: longest(deliveries),
  };
}
