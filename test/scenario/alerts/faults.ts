/** Faults that the nodes suffer from, one after the other. */
import { setTimeout as pause } from "node:timers/promises";
import { Redis } from "ioredis";
import type { TcpProxy } from "../../support/server/tcp-proxy.ts";
import { until } from "../../support/time/until.ts";
import { again, anotherOrganization, connectTo, type Fault, lockTable, type Stage } from "./fault.ts";

/** A fault of the services that all nodes reach by their wires. */
const onWires =
  (which: "redis" | "postgres", happen: "cut" | "hang") =>
  async ({ cluster }: Stage) => {
    for (const wires of cluster.wires) wires[which][happen]();
    return async () => {
      for (const wires of cluster.wires) wires[which].restore();
    };
  };

/** What is sent by these wires waits for up to two seconds. */
function slowly(wires: readonly TcpProxy[]): () => Promise<void> {
  const stop = again(100, async (round) => {
    for (const wire of wires) round % 20 === 0 ? wire.restore() : wire.hang();
  });
  return async () => {
    await stop();
    for (const wire of wires) wire.restore();
  };
}

/** A node that does not write. */
const follower = async ({ cluster }: Stage) => ((await cluster.someWriter()) === 0 ? 1 : 0);

/** Has the standby replace the primary, and waits until every node has seen that. */
async function failOver({ cluster, pair }: Stage): Promise<void> {
  for (const { postgres } of cluster.wires) postgres.cut();
  await pair.inStep();
  await pair.promote();
  for (const { postgres } of cluster.wires) {
    postgres.lead(pair.standby.wire.port);
    postgres.restore();
  }
  const readsAll = async () => {
    const newest = { anchor: "newest", num_before: 1, num_after: 0 };
    const answers = await Promise.all(cluster.clients.map((client) => client.get("/messages", newest)));
    return answers.every(({ status }) => status === 200);
  };
  await until("every node to read from the new primary", readsAll);
}

export const faults: readonly Fault[] = [
  {
    name: "a node is gone",
    rings: ["ParleyDown"],
    async happen({ cluster }) {
      await cluster.nodes[2]!.kill();
      return () => cluster.startAgain(2);
    },
  },
  {
    name: "a node gets no time",
    rings: ["ParleyEventLoopLate"],
    async happen(stage) {
      const node = stage.cluster.nodes[await follower(stage)]!;
      // Prometheus, which asks once a second, has its answer before the next stop.
      return again(350, async () => {
        node.signal("SIGSTOP");
        await pause(600);
        node.signal("SIGCONT");
      });
    },
  },
  {
    name: "a table is locked while a bot writes too much",
    rings: ["ParleyMailboxFull"],
    async happen({ cluster, databaseUrl }) {
      const unlock = await lockTable(databaseUrl, "messages in share mode");
      const client = cluster.clients[await cluster.someWriter()]!;
      const message = { type: "channel", to: String(cluster.channelId), topic: "bot", content: "again" };
      // It does not wait for what becomes of a message.
      const send = () => client.post("/messages", message, { timeoutMs: 1000 }).catch(() => {});
      const stop = again(100, () => Promise.all(Array.from({ length: 200 }, send)));
      return async () => {
        await stop();
        await unlock();
      };
    },
  },
  {
    name: "PostgreSQL is slow",
    rings: ["ParleyCommitsSlow", "ParleyPoolExhausted"],
    async happen({ cluster }) {
      return slowly(cluster.wires.map(({ postgres }) => postgres));
    },
  },
  {
    name: "PostgreSQL is away",
    rings: ["ParleyNotReady", "ParleySendsLate", "ParleySendsLateForLong"],
    happen: onWires("postgres", "cut"),
  },
  {
    name: "the node that writes is gone, and PostgreSQL lets no other one write",
    rings: ["ParleyNoWriter"],
    async happen({ cluster }) {
      const writer = await cluster.someWriter();
      for (const { postgres } of cluster.wires) postgres.cut();
      await cluster.nodes[writer]!.kill();
      return async () => {
        for (const { postgres } of cluster.wires) postgres.restore();
        await cluster.startAgain(writer);
      };
    },
  },
  { name: "Redis is away", rings: ["ParleyPublishFails"], happen: onWires("redis", "cut") },
  {
    name: "the writer loses Redis again and again",
    rings: ["ParleyFenced"],
    async happen({ cluster }) {
      return again(100, async () => {
        const writer = await cluster.someWriter();
        const { redis } = cluster.wires[writer]!;
        const fenced = () => cluster.metric(writer, "parley_commits_fenced_total");
        const before = await fenced();
        redis.hang();
        await until("another node to take its organization", async () => (await fenced()) > before, 15_000).catch(
          () => {},
        );
        redis.restore();
      });
    },
  },
  {
    name: "Redis lets nobody read the log, and PostgreSQL is slow for a node",
    rings: ["ParleyReplicaBehind"],
    async happen(stage) {
      const { cluster, redis } = stage;
      const { postgres } = cluster.wires[await follower(stage)]!;
      const administrator = new Redis(redis.url);
      await administrator.acl("SETUSER", "default", "-xread");
      const stop = slowly([postgres]);
      return async () => {
        await stop();
        await administrator.acl("SETUSER", "default", "+xread");
        administrator.disconnect();
      };
    },
  },
  {
    name: "a node reaches neither Redis nor PostgreSQL",
    rings: ["ParleyNotReady"],
    async happen(stage) {
      const { redis, postgres } = stage.cluster.wires[await follower(stage)]!;
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
      const message = { type: "channel", to: String(cluster.channelId), topic: "stalls", content: "still there?" };
      const send = () =>
        cluster.clients.map((client) => client.post("/messages", message, { timeoutMs: 3000 }).catch(() => {}));
      // The rule counts commands: the few of the load do not suffice.
      const endSends = again(100, () => Promise.all(Array.from({ length: 10 }, send).flat()));
      const endStalls = again(200, async () => {
        const node = cluster.nodes[await cluster.someWriter()]!;
        node.signal("SIGSTOP");
        await pause(2500);
        node.signal("SIGCONT");
      });
      return async () => {
        await endStalls();
        await endSends();
      };
    },
  },
  {
    name: "writers are thrown out of PostgreSQL",
    rings: ["ParleyWriterFails"],
    async happen({ databaseUrl }) {
      const sql = connectTo(databaseUrl);
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
  // From here on there are two writers, perhaps on two nodes.
  {
    name: "somebody locks the people of one organization of two",
    rings: ["ParleyOrganizationStuck"],
    async happen({ cluster, databaseUrl }) {
      const { id, client } = await anotherOrganization(databaseUrl, cluster.nodes[0]!.url);
      const unlock = await lockTable(
        databaseUrl,
        "users in row share mode",
        `select from users where realm_id = ${id} for update`,
      );
      const stop = again(200, () =>
        client.patch("/settings", { full_name: "Waits" }, { timeoutMs: 30_000 }).catch(() => {}),
      );
      return async () => {
        await unlock();
        await stop();
      };
    },
  },
  {
    name: "a PostgreSQL answers that was replaced",
    rings: ["ParleyOldDatabase"],
    async happen(stage) {
      await failOver(stage);
      const { cluster, pair } = stage;
      for (const { postgres } of cluster.wires) postgres.lead(pair.primary.wire.port);
      return async () => {
        for (const { postgres } of cluster.wires) postgres.lead(pair.standby.wire.port);
      };
    },
  },
];
