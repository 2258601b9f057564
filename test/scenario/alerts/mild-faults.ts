/** Faults that the nodes do not suffer from. Some last for long, and others come beside them. */
import { join } from "node:path";
import { Redis } from "ioredis";
import { expectSuccess } from "../../support/client/api.ts";
import { runCommand } from "../../support/server/command-line.ts";
import { testSecret } from "../../support/server/template.ts";
import { again, connectTo, type Fault, lockTable, type Stage } from "./fault.ts";

const root = join(import.meta.dirname, "../../..");

/** An import that is killed in the middle. Nodes do not serve its organization. */
async function killImport({ cluster, databaseUrl }: Stage): Promise<void> {
  const archive = join(root, "test/data/zulip-export/small.tar.gz");
  const { code, stderr } = await runCommand(["import", "zulip", archive, "--host", "imported.example.com"], {
    DATABASE_URL: databaseUrl,
    PARLEY_DATA_DIR: cluster.folder,
    PARLEY_SECRET_KEY: testSecret,
    NODE_OPTIONS: `--import ${join(root, "test/support/transfer/kill-at.mjs")}`,
    PARLEY_TEST_KILL_AT: "People, channels and groups",
    PARLEY_TEST_KILL_TURNS: "12",
  });
  if (code !== null) throw new Error(`the import was not killed: ${stderr}`);
}

export const mildFaults: readonly Fault[] = [
  {
    name: "files and a scanner that is away",
    rings: ["ParleyQuotaReached"],
    ringsLater: ["ParleyQuarantineOld"],
    async happen({ cluster }) {
      const file = { filename: "large.bin", content: Buffer.alloc(1_000_000), type: "application/octet-stream" };
      expectSuccess(await cluster.clients[0]!.post("/user_uploads", {}, { files: { file } }));
      return async () => {};
    },
  },
  {
    name: "an import is killed",
    rings: [],
    ringsLater: ["ParleyImportUnfinished"],
    async happen(stage) {
      await killImport(stage);
      return async () => {};
    },
  },
  {
    name: "a statement and a transaction take long",
    rings: ["ParleyStatementLong", "ParleyTransactionLong"],
    async happen({ databaseUrl }) {
      const sql = connectTo(databaseUrl);
      const done = sql.begin((tx) => tx`select pg_sleep(60)`).catch(() => {});
      return async () => {
        await sql.end({ timeout: 0 });
        await done;
      };
    },
  },
  {
    name: "an export waits for a lock",
    rings: [],
    ringsLater: ["ParleyExportPending"],
    async happen({ cluster, databaseUrl }) {
      // Nodes ask it for bots that store something, of whom there are none.
      const unlock = await lockTable(databaseUrl, "bot_storage in access exclusive mode");
      expectSuccess(await cluster.clients[0]!.post("/export/realm", {}));
      return unlock;
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
    name: "connections are used up",
    rings: ["ParleyConnectionsFew"],
    async happen({ databaseUrl }) {
      const sql = connectTo(databaseUrl);
      const [row] = await sql<{ free: number }[]>`
        select current_setting('max_connections')::int - count(*)::int as free from pg_stat_activity
        where backend_type = 'client backend'`;
      const others = Array.from({ length: Math.max(0, row!.free - 8) }, () => connectTo(databaseUrl));
      await Promise.all(others.map((other) => other`select 1`));
      return async () => {
        await Promise.all([sql, ...others].map((one) => one.end()));
      };
    },
  },
  {
    name: "the disk fills",
    rings: ["ParleyDiskFills", "ParleyDiskFull"],
    lacks: ({ disk }) => (disk ? undefined : "no disk may be mounted here"),
    async happen({ disk }) {
      const stop = again(1000, (round) => disk!.fill(round < 93 ? 0.01 : 0));
      return async () => {
        await stop();
        await disk!.empty();
      };
    },
  },
];
