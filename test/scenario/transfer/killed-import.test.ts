/** An import is killed in the middle, again and again, and ends as if nothing had happened. */
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { channelActivityJob } from "../../../actors/channels/changes/activity-job.ts";
import { openArchive } from "../../../storage/transfer/archive.ts";
import { runCommand } from "../../support/server/command-line.ts";
import { testServer } from "../../support/server/server.ts";
import { ownJob } from "../../support/time/own-job.ts";
import { until } from "../../support/time/until.ts";
import { histories, registers, setIdsApart, TwinClients } from "../../support/transfer/twins.ts";

const server = testServer({ nodeCount: 1 });
// It would count messages of one of the two organizations before those of the other.
ownJob(channelActivityJob);
const [whole, cut] = ["127.0.0.1", "localhost"];
let folder: string;
let twins: TwinClients;
beforeAll(setUp, 600_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** After which word of the import's it is killed, and how many turns of its event loop later. */
const kills: [line: string, turns: number][] = [
  ["Files of people", 0],
  ["Files of people", 6],
  ["People, channels and groups", 0],
  ["People, channels and groups", 12],
  ["1 of 5 files", 0],
  ["1 of 5 files", 4],
  ["3 of 5 files", 8],
  ["What people have read", 0],
  ["What people have read", 15],
];

it("has the same rows in every table, none twice", async () => {
  const [before, after] = [await counts(whole), await counts(cut)];
  expect(before["messages"]).toBe(465);
  expect(after).toEqual(before);
  expect(await filesOf(cut)).toEqual(await filesOf(whole));
});

it("tells everybody what they are told after an import without a stop", async () => {
  const [before, after] = [await registers(twins.originals), await registers(twins.copies)];
  expect(Object.keys(before)).toHaveLength(11);
  expect(twins.mapped(after)).toEqual(twins.named(before));
}, 300_000);

it("has the same history: contents, flags, reactions, edits, read receipts", async () => {
  const [email] = Object.keys(twins.originals) as [string];
  const only = (clients: typeof twins.originals) => ({ [email]: clients[email]! });
  const [before, after] = [await histories(only(twins.originals)), await histories(only(twins.copies))];
  expect(before[email]!["messages"]).not.toHaveLength(0);
  expect(twins.mapped(after)).toEqual(twins.named(before));
}, 600_000);

async function setUp(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), "parley-killed-"));
  await unpackInFiles(join(folder, "export"), 5);
  const { sql } = server.database;
  const done = await runImport(whole);
  expect(done.code, done.stderr).toBe(0);
  await setIdsApart(sql);
  for (const [line, turns] of kills) {
    const killed = await runImport(cut, {
      NODE_OPTIONS: `--import ${join(import.meta.dirname, "../../support/transfer/kill-at.mjs")}`,
      PARLEY_TEST_KILL_AT: line,
      PARLEY_TEST_KILL_TURNS: String(turns),
    });
    // Ended by a signal; what it says last is where.
    expect(killed.code, `${line} + ${turns}: ${killed.stderr}`).toBe(null);
    const realms = await sql<{ is_deactivated: boolean }[]>`select is_deactivated from realms where host = ${cut}`;
    expect(realms.filter(({ is_deactivated }) => !is_deactivated)).toHaveLength(0);
  }
  const ended = await runImport(cut);
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stderr).toContain("Going on with what was begun: 5 files of messages are in.");
  twins = await TwinClients.open(server, { original: whole, copy: cut });
  const { system } = server.server.app;
  for (const host of [whole, cut])
    await until("it is served", async () => (await system.realmByHost(host)).id === (await realmOf(host)));
}

function runImport(host: string, more: Record<string, string> = {}) {
  const { config } = server.server.app;
  return runCommand(["import", "zulip", join(folder, "export"), "--host", host], {
    DATABASE_URL: config.databaseUrl!,
    PARLEY_DATA_DIR: config.dataDir,
    PORT: String(server.server.port),
    ...more,
  });
}

/** The export with its messages in that many files. */
async function unpackInFiles(target: string, count: number): Promise<void> {
  const archive = await openArchive(join(import.meta.dirname, "../../data/zulip-export/small.tar.gz"));
  try {
    await cp(archive.folder, target, { recursive: true });
  } finally {
    await archive.close();
  }
  const path = (number: number) => join(target, `messages-${String(number).padStart(6, "0")}.json`);
  const all = JSON.parse(await readFile(path(1), "utf8")) as {
    zerver_message: { id: number }[];
    zerver_usermessage: { message: number }[];
  };
  const each = Math.ceil(all.zerver_message.length / count);
  for (let number = 1; number <= count; number++) {
    const messages = all.zerver_message.slice((number - 1) * each, number * each);
    const ids = new Set(messages.map(({ id }) => id));
    const receipts = all.zerver_usermessage.filter(({ message }) => ids.has(message));
    await writeFile(path(number), JSON.stringify({ zerver_message: messages, zerver_usermessage: receipts }, null, 2));
  }
}

async function realmOf(host: string): Promise<number> {
  const rows = await server.database.sql<{ id: number }[]>`select id from realms where host = ${host}`;
  expect(rows).toHaveLength(1);
  return rows[0]!.id;
}

/** How many rows of each table belong to an organization. */
async function counts(host: string): Promise<Record<string, number>> {
  const { sql } = server.database;
  const realmId = await realmOf(host);
  const tables = await sql<{ name: string }[]>`
    select c.table_name as name from information_schema.columns c
    join information_schema.tables t on t.table_name = c.table_name and t.table_schema = c.table_schema
    where c.table_schema = 'public' and c.column_name = 'realm_id' and t.table_type = 'BASE TABLE'
      and c.table_name not like 'realm\\_log%' order by 1`;
  const found: Record<string, number> = {};
  for (const { name } of tables) {
    // Unsafe: a table's name is no parameter.
    const [row] = await sql.unsafe(`select count(*)::int as count from ${name} where realm_id = $1`, [realmId]);
    found[name] = row!["count"] as number;
  }
  return found;
}

/** How many stored files an organization has. */
async function filesOf(host: string): Promise<number> {
  const realmId = String(await realmOf(host));
  const { dataDir } = server.server.app.config;
  const names = await readdir(dataDir, { recursive: true, withFileTypes: true });
  return names.filter((file) => file.isFile() && file.parentPath.split("/").includes(realmId)).length;
}
