/** One request by its name in the logs of two nodes, and levels that change while they run. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readConfig } from "../../../http/process/config.ts";
import { type RunningServer, startServer } from "../../../http/process/main.ts";
import { adminToken, askAsOperator } from "../../support/client/as-operator.ts";
import { settledWriter } from "../../support/faults/settled-writer.ts";
import { startRedis } from "../../support/server/redis.ts";
import { copyTemplate, firstOrganization } from "../../support/server/template.ts";

interface Line {
  level: number;
  module?: string;
  msg: string;
  request?: string;
  requests?: string[];
}

const nodes: { server: RunningServer; url: string; lines(): Line[] }[] = [];
const undo: (() => Promise<unknown>)[] = [];
let key: string;

beforeAll(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "parley-levels-"));
  undo.push(() => rm(dataDir, { recursive: true, force: true }));
  const database = await copyTemplate(firstOrganization, dataDir);
  undo.push(() => database.drop());
  const redis = await startRedis();
  undo.push(() => redis.stop());
  for (const _node of [1, 2]) {
    const config = readConfig({
      ...{ HOST: "127.0.0.1", PORT: "0", DATABASE_URL: database.url, REDIS_URL: redis.url, PARLEY_DATA_DIR: dataDir },
      ...{ PARLEY_ADMIN_TOKEN: adminToken, PARLEY_TRUSTED_PROXIES: "1", PARLEY_LEASE_MS: "15000" },
      ...{ PARLEY_DATABASE_CONNECTIONS: "8", PARLEY_COMMAND_DEADLINE_MS: "60000", ...firstOrganization },
    });
    let logged = "";
    const stream = new PassThrough();
    stream.on("data", (chunk: Buffer) => (logged += chunk.toString()));
    const server = await startServer(config, () => {}, stream);
    undo.push(() => server.stop());
    const lines = () => logged.split("\n").flatMap((line) => (line === "" ? [] : (JSON.parse(line) as Line)));
    nodes.push({ server, url: `http://127.0.0.1:${server.port}`, lines });
  }
  key = /^key=(.+)$/m.exec(await readFile(join(dataDir, "owner.zuliprc"), "utf8"))![1]!;
}, 300_000);
afterAll(async () => {
  for (const step of undo.reverse()) await step();
});

const setLevel = (url: string, module: string, level: string) =>
  askAsOperator(`${url}/log_levels?module=${module}&level=${level}`, { method: "PATCH" });

async function send(url: string, request: string): Promise<void> {
  const Authorization = `Basic ${Buffer.from(`owner@example.com:${key}`).toString("base64")}`;
  const body = new URLSearchParams({ type: "channel", to: "general", topic: "logs", content: "a secret of theirs" });
  const headers = { Authorization, "X-Request-Id": request };
  expect((await fetch(`${url}/api/v1/messages`, { method: "POST", headers, body })).status).toBe(200);
}

it("the name that a proxy gave a request is in the lines of its node, of the writer, and of the commit", async () => {
  // From then on one of them writes, and knows it.
  await send(nodes[0]!.url, "edge-request-0");
  const writer = await settledWriter(nodes.map(({ server }) => server));
  const [asked, writes] = [nodes[1 - writer]!, nodes[writer]!];
  await send(asked.url, "edge-request-1");
  for (const { lines } of nodes) expect(JSON.stringify(lines())).not.toContain("edge-request-1");
  expect((await setLevel(asked.url, "http", "debug")).status).toBe(200);
  expect((await setLevel(writes.url, "organizations", "debug")).status).toBe(200);
  await send(asked.url, "edge-request-2");
  // A name with what could forge a line is none.
  await send(asked.url, 'edge-request-3" "');
  const named = ({ lines }: (typeof nodes)[number]) =>
    lines()
      .filter(({ request, requests }) => request === "edge-request-2" || requests?.includes("edge-request-2"))
      .map(({ module, msg }) => [module, msg]);
  await expect.poll(() => named(asked), { timeout: 60_000 }).toEqual([["http", "request"]]);
  await expect
    .poll(() => named(writes), { timeout: 60_000 })
    .toEqual([
      ["organizations", "a command came from another node"],
      ["organizations", "committed"],
    ]);
  const all = nodes.map(({ lines }) => JSON.stringify(lines())).join();
  expect(all).not.toContain("edge-request-3");
  expect(all).not.toContain("a secret of theirs");
});

it("levels are read and changed by part, by whoever runs the server alone", async () => {
  const { url } = nodes[0]!;
  const levels = async () => ((await (await askAsOperator(`${url}/log_levels`)).json()) as { levels: object }).levels;
  expect((await setLevel(url, "mail", "trace")).status).toBe(200);
  expect(await levels()).toMatchObject({ server: "info", mail: "trace", cluster: "info" });
  expect((await setLevel(url, "mail", "info")).status).toBe(200);
  expect(await levels()).toMatchObject({ mail: "info" });
  expect((await setLevel(url, "nothing", "info")).status).toBe(400);
  expect((await setLevel(url, "mail", "loud")).status).toBe(400);
  const Authorization = `Basic ${Buffer.from(`owner@example.com:${key}`).toString("base64")}`;
  for (const headers of [{}, { Authorization }] as Record<string, string>[])
    for (const method of ["GET", "PATCH"])
      expect((await fetch(`${url}/log_levels?module=mail&level=debug`, { method, headers })).status).toBe(401);
  expect(await levels()).toMatchObject({ mail: "info" });
});
