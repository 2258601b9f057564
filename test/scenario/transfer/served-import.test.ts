/** Nodes know nothing of an organization while it is imported, and serve it as soon as it is whole. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { readConfig } from "../../../http/process/config.ts";
import { startServer } from "../../../http/process/main.ts";
import { takeTime } from "../../../storage/postgres.ts";
import { realmsChannel } from "../../../storage/realms.ts";
import { ApiClient, expectSuccess } from "../../support/client/api.ts";
import { runCommand } from "../../support/server/command-line.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const server = testServer({ nodeCount: 2 });

it("is unknown while its rows come, and served by each node when they are there", async () => {
  const host = "held.example.com";
  let heard = 0;
  server.database.listen(realmsChannel, () => heard++);
  let outcome: ReturnType<typeof runCommand> | undefined;
  await withoutReceived(async () => {
    outcome = runImport(host);
    await until("the import to wait", async () => (await waitingForReceived()) > 0);
    // Until they hear that another one comes, a lone organization answers to any host.
    await until("nodes to say so", async () => (await asked(host)).every((status) => status === 404));
    // A node that starts reads all organizations. What it does not know no job loads.
    const third = await startAnother();
    try {
      expect(await asked(host, [`http://127.0.0.1:${third.port}`])).toEqual([404]);
      const known = [...server.nodes, third].flatMap(({ app }) => app.system.all().map((realm) => realm.host));
      expect(known).toEqual([null, null, null]);
    } finally {
      await third.stop();
    }
    const refused = await runParley("realm", "reactivate", "--realm", host);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("has not ended");
    const { stdout } = await runParley("realm", "list");
    expect(stdout.split("\n").find((line) => line.includes(host))).toContain("import has not ended");
    heard = 0;
  });
  const { code, stderr, stdout } = await outcome!;
  expect(code, stderr).toBe(0);
  await until("nodes to be told", () => heard > 0);
  await isServed(host, stdout);
}, 300_000);

it("stays unknown after a kill, and is served when the import has ended after all", async () => {
  const host = "killed.example.com";
  const killed = await runImport(host, killedAt("1 of 1 files"));
  expect(killed.code, killed.stderr).toBe(null);
  await until("nodes to say so", async () => (await asked(host)).every((status) => status === 404));
  const ended = await runImport(host);
  expect(ended.code, ended.stderr).toBe(0);
  await isServed(host, ended.stdout);
}, 300_000);

it("may be deleted before it has ended", async () => {
  const host = "given-up.example.com";
  const killed = await runImport(host, killedAt("1 of 1 files"));
  expect(killed.code, killed.stderr).toBe(null);
  const asks = await runParley("realm", "delete", "--realm", host, "--confirm", "another");
  const name = /--confirm '(.+)'/.exec(asks.stderr)?.[1];
  expect(name, asks.stderr).toBeDefined();
  const deleted = await runParley("realm", "delete", "--realm", host, "--confirm", name!);
  expect(deleted.code, deleted.stderr).toBe(0);
  const { sql } = server.database;
  expect(await sql`select from realms where host = ${host}`).toHaveLength(0);
  expect(await sql`select from imports`).toHaveLength(0);
}, 300_000);

const environment = () => {
  const { databaseUrl, dataDir, redisUrl } = server.server.app.config;
  return { DATABASE_URL: databaseUrl!, PARLEY_DATA_DIR: dataDir, REDIS_URL: redisUrl!, HOST: "127.0.0.1", PORT: "0" };
};

const runParley = (...words: string[]) => runCommand(words, environment());

function runImport(host: string, more: Record<string, string> = {}) {
  const file = join(import.meta.dirname, "../../data/zulip-export/small.tar.gz");
  return runCommand(["import", "zulip", file, "--host", host], { ...environment(), ...more });
}

const killedAt = (line: string) => ({
  NODE_OPTIONS: `--import ${join(import.meta.dirname, "../../support/transfer/kill-at.mjs")}`,
  PARLEY_TEST_KILL_AT: line,
});

const startAnother = () =>
  startServer(
    readConfig({ ...environment(), PARLEY_URL: server.server.app.config.externalUrl, PARLEY_LOG_LEVEL: "warn" }),
  );

/** What each node answers a client that asks for a host. */
const asked = (host: string, urls = server.urls) =>
  Promise.all(
    urls.map(
      async (url) => (await new ApiClient({ url }).get("/server_settings", {}, { headers: { Host: host } })).status,
    ),
  );

/** Nobody can store what people received meanwhile, which an import does at its end. */
const withoutReceived = (body: () => Promise<void>) =>
  server.database.transaction(async (sql) => {
    await takeTime(sql);
    await sql`lock table received in share mode`;
    await body();
  });

const waitingForReceived = async () =>
  (await server.database.sql`select from pg_locks where relation = 'received'::regclass and not granted`).length;

/** Each node serves it, and takes a message of its owner's. */
async function isServed(host: string, stdout: string): Promise<void> {
  const [, email, apiKey] = /^Owner (\S+), password \S+, API key (\S+)$/m.exec(stdout)!;
  for (const url of server.urls) {
    await until("it to be served", async () => (await asked(host, [url]))[0] === 200);
    const owner = new ApiClient({ url, email: email!, apiKey: apiKey! });
    expectSuccess(await owner.get("/users/me", {}, { headers: { Host: host } }));
  }
}
