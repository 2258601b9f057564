/** What goes wrong in a rehearsal of the alerts, and what has to ring. */
import { setTimeout as pause, setInterval } from "node:timers/promises";
import { Redis } from "ioredis";
import postgresJs from "postgres";
import { expectSuccess } from "../../support/client/api.ts";
import type { TestCluster } from "../../support/faults/cluster.ts";
import type { TestPostgres } from "../../support/server/postgres.ts";
import type { TestRedis } from "../../support/server/redis.ts";

export interface Stage {
  cluster: TestCluster;
  redis: TestRedis;
  postgres: TestPostgres;
  /** Whether the collector of traces takes what it is sent. */
  setCollecting(is: boolean): void;
}

export interface Fault {
  name: string;
  /** Alerts that ring while it lasts. */
  rings: readonly string[];
  /** Begins it. What it resolves with ends it. */
  happen(stage: Stage): Promise<() => Promise<void>>;
}

/** Does something again and again, until what it returns is called. */
function again(everyMs: number, act: (round: number) => Promise<unknown>): () => Promise<void> {
  const stop = new AbortController();
  const ended = (async () => {
    let round = 0;
    try {
      for await (const _ of setInterval(everyMs, undefined, { signal: stop.signal })) await act(round++);
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    }
  })();
  return async () => {
    stop.abort();
    await ended;
  };
}

const connectTo = ({ url }: TestPostgres, max: number) =>
  postgresJs(url, { max, fetch_types: false, connection: { application_name: "parley" }, onnotice: () => {} });

/** A fault of the services that all nodes reach by their wires. */
const onWires =
  (which: "redis" | "postgres", happen: "cut" | "hang") =>
  async ({ cluster }: Stage) => {
    for (const wires of cluster.wires) wires[which][happen]();
    return async () => {
      for (const wires of cluster.wires) wires[which].restore();
    };
  };

export const faults: readonly Fault[] = [
  {
    name: "files and a scanner that is away",
    rings: ["ParleyQuotaReached"],
    async happen({ cluster }) {
      const file = { filename: "large.bin", content: Buffer.alloc(1_000_000), type: "application/octet-stream" };
      expectSuccess(await cluster.clients[0]!.post("/user_uploads", {}, { files: { file } }));
      return async () => {};
    },
  },
  {
    name: "a node is gone",
    rings: ["ParleyDown"],
    async happen({ cluster }) {
      await cluster.nodes[2]!.kill();
      return () => cluster.startAgain(2);
    },
  },
  {
    name: "a collector takes no traces",
    rings: ["ParleySpansDropped"],
    async happen({ setCollecting }) {
      setCollecting(false);
      return async () => setCollecting(true);
    },
  },
  {
    name: "keys are guessed, and nobody reads the log",
    rings: ["ParleyLogInsRefused", "ParleyLogLost"],
    async happen({ cluster: { nodes } }) {
      const [node] = nodes;
      node!.ignoreOutput(true);
      const headers = { authorization: `Basic ${Buffer.from("owner@example.com:wrong").toString("base64")}` };
      const guess = () => fetch(`${node!.url}/api/v1/users/me`, { headers }).then((answer) => answer.text());
      const stop = again(50, () => Promise.all(Array.from({ length: 100 }, guess)));
      return async () => {
        await stop();
        node!.ignoreOutput(false);
      };
    },
  },
  {
    name: "a mail server is away",
    rings: ["ParleyOutgoingLate"],
    async happen({ cluster }) {
      const body = new URLSearchParams({ email: "owner@example.com" });
      const origin = cluster.nodes[0]!.url;
      await fetch(`${origin}/accounts/password/reset/`, { method: "POST", body, headers: { origin } });
      return async () => {};
    },
  },
  {
    name: "somebody writes into Redis",
    rings: ["ParleyForged"],
    async happen({ redis }) {
      const forger = new Redis(redis.url);
      const stop = again(200, async () => {
        for (const channel of (await forger.pubsub("CHANNELS")) as string[]) await forger.publish(channel, "junk");
      });
      return async () => {
        await stop();
        forger.disconnect();
      };
    },
  },
  {
    name: "a statement and a transaction take long",
    rings: ["ParleyStatementLong", "ParleyTransactionLong"],
    async happen({ postgres }) {
      const sql = connectTo(postgres, 1);
      const done = sql.begin((tx) => tx`select pg_sleep(60)`).catch(() => {});
      return async () => {
        await sql.end({ timeout: 0 });
        await done;
      };
    },
  },
  {
    name: "connections are used up",
    rings: ["ParleyConnectionsFew"],
    async happen({ postgres }) {
      const sql = connectTo(postgres, 1);
      const [row] = await sql<{ free: number }[]>`
        select current_setting('max_connections')::int - count(*)::int as free from pg_stat_activity
        where backend_type = 'client backend'`;
      const others = Array.from({ length: Math.max(0, row!.free - 8) }, () => connectTo(postgres, 1));
      await Promise.all(others.map((other) => other`select 1`));
      return async () => {
        await Promise.all([sql, ...others].map((one) => one.end()));
      };
    },
  },
  {
    name: "PostgreSQL is slow",
    rings: ["ParleyCommitsSlow", "ParleyPoolExhausted"],
    async happen({ cluster }) {
      const stop = again(100, async (round) => {
        for (const { postgres } of cluster.wires) round % 20 === 0 ? postgres.restore() : postgres.hang();
      });
      return async () => {
        await stop();
        for (const { postgres } of cluster.wires) postgres.restore();
      };
    },
  },
  {
    name: "PostgreSQL is away",
    rings: ["ParleyNotReady", "ParleySendsLate", "ParleySendsLateForLong"],
    happen: onWires("postgres", "cut"),
  },
  { name: "Redis is away", rings: ["ParleyPublishFails"], happen: onWires("redis", "cut") },
  {
    name: "a node reaches neither Redis nor PostgreSQL",
    rings: ["ParleyNotReady"],
    async happen({ cluster }) {
      const writer = await cluster.writer();
      const { redis, postgres } = cluster.wires[writer === 0 ? 1 : 0]!;
      redis.hang();
      postgres.hang();
      return async () => {
        redis.restore();
        postgres.restore();
      };
    },
  },
  {
    name: "nodes stall",
    rings: ["ParleyDeliveriesLate", "ParleyForwardsFail", "ParleyDeliveriesLateForLong"],
    async happen({ cluster }) {
      const stop = again(2500, async () => {
        const writer = await cluster.writer();
        const node = cluster.nodes[Math.max(0, writer)]!;
        node.signal("SIGSTOP");
        await pause(2500);
        node.signal("SIGCONT");
      });
      return stop;
    },
  },
  {
    name: "writers are thrown out of PostgreSQL",
    rings: ["ParleyWriterFails"],
    async happen({ postgres }) {
      const sql = connectTo(postgres, 1);
      const stop = again(
        100,
        () =>
          sql`select pg_terminate_backend(pid) from pg_stat_activity
            where pid <> pg_backend_pid() and application_name like 'parley%' and query ilike '%realm_log%'`,
      );
      return async () => {
        await stop();
        await sql.end();
      };
    },
  },
  {
    name: "the scanner is still away",
    rings: ["ParleyQuarantineOld"],
    happen: async () => async () => {},
  },
];
