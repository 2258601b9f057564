/**
 * An organization with everything in it is exported and imported beside itself. Its people are told the same of the
 * copy, ids mapped. A second export is the first but for ids.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { exportRealm } from "../../../http/process/export.ts";
import { importFromZulip } from "../../../http/process/transfer.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";
import { columnsKnown, columnsThereAre, rowsOf, sayEverything, unsaid } from "../../support/transfer/every-column.ts";
import { readExport, withoutIds } from "../../support/transfer/exports.ts";
import { furnish } from "../../support/transfer/furnish.ts";
import { readsPages, sayLinkToPage } from "../../support/transfer/page.ts";
import { histories, registers, setIdsApart, TwinClients } from "../../support/transfer/twins.ts";

const server = testServer({ nodeCount: 1, environment: readsPages });
const people = server.people(["Ada", 100], ["Bob", 400], ["Cy", 600], ["Dee", 400]);
let folder: string;
let twins: TwinClients;
beforeAll(setUp, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

it("tells everybody what they were told before", async () => {
  const [before, after] = [await registers(twins.originals), await registers(twins.copies)];
  expect(Object.keys(after).length).toBe(4);
  expect(twins.mapped(after)).toEqual(twins.named(before));
});

it("has the same history: contents, flags, reactions, edits, read receipts", async () => {
  const [before, after] = [await histories(twins.originals), await histories(twins.copies)];
  expect(before["bob@example.com"]!["messages"]).not.toHaveLength(0);
  expect(twins.mapped(after)).toEqual(twins.named(before));
});

it("every column of every table comes along, or there is a reason why not", async () => {
  const there = await columnsThereAre(server.database.sql);
  expect(columnsKnown(there)).toEqual(there);
});

it("has the pictures of linked pages", async () => {
  const messages = await server.database.sql<{ realm: number; html: string }[]>`
    select realm_id as realm, rendered_content as html from messages where rendered_content like '%message_embed%'`;
  const pictureOf = async (realm: number, host: string) => {
    const html = messages.find((message) => message.realm === realm)!.html;
    const address = /url\(&quot;([^&]+)&quot;\)/.exec(html)![1]!;
    const answer = await fetch(`${server.url.replace("127.0.0.1", host)}${address}`);
    expect(answer.status).toBe(200);
    return Buffer.from(await answer.arrayBuffer()).toString("base64");
  };
  expect(messages).toHaveLength(2);
  expect(await pictureOf(twins.realms.copy, "127.0.0.1")).toBe(await pictureOf(twins.realms.original, "localhost"));
});

it("has rows of who is in a system group, as Zulip reads them", async () => {
  const tables = await readExport(join(folder, "first.tar.gz"));
  const groups = new Map(tables["zerver_namedusergroup"]!.map((row) => [row["usergroup_ptr"], row["name"] as string]));
  const emails = new Map(tables["zerver_userprofile"]!.map((row) => [row["id"], row["delivery_email"] as string]));
  const members = tables["zerver_usergroupmembership"]!.map((row) => [
    groups.get(row["user_group"]),
    emails.get(row["user_profile"]),
  ]).filter(([name]) => name?.startsWith("role:"));
  expect(members).toEqual(
    expect.arrayContaining([
      ["role:owners", "ada@example.com"],
      ["role:members", "bob@example.com"],
      ["role:fullmembers", "bob@example.com"],
      ["role:everyone", "cy@example.com"],
    ]),
  );
  const chain = tables["zerver_groupgroupmembership"]!.map((row) => [
    groups.get(row["supergroup"]),
    groups.get(row["subgroup"]),
  ]).filter(([outer]) => outer?.startsWith("role:"));
  expect(chain).toEqual([
    ["role:administrators", "role:owners"],
    ["role:moderators", "role:administrators"],
    ["role:fullmembers", "role:moderators"],
    ["role:members", "role:fullmembers"],
    ["role:everyone", "role:members"],
    ["role:internet", "role:everyone"],
  ]);
});

it("is exported again as the same, apart from ids and secrets", async () => {
  await exported("second.tar.gz", "127.0.0.1");
  const [first, second] = [
    await readExport(join(folder, "first.tar.gz")),
    await readExport(join(folder, "second.tar.gz")),
  ];
  const [before, after] = [withoutIds(first), withoutIds(second)];
  expect(Object.keys(after)).toEqual(Object.keys(before));
  for (const [table, rows] of Object.entries(before)) expect({ [table]: after[table] }).toEqual({ [table]: rows });
});

it("leaves the organization that was exported as it was", async () => {
  const again = await exported("third.tar.gz", "localhost");
  const [first, third] = [await readExport(join(folder, "first.tar.gz")), await readExport(again)];
  expect(third).toEqual(first);
});

async function exported(name: string, realm: string): Promise<string> {
  const { config, system } = server.server.app;
  const { database } = system.environment;
  const file = join(folder, name);
  await exportRealm({ database, url: "", dataDir: config.dataDir, close: async () => {} }, config, { file, realm });
  return file;
}

it("what is in each column of each table is in that of the copy", async () => {
  const { sql } = server.database;
  const { original } = twins.realms;
  await sayEverything(sql, original);
  await imported(await exported("fourth.tar.gz", "localhost"), "copy.example.com");
  const last = await TwinClients.open(server, { copy: "copy.example.com" });
  const [before, after] = [await rowsOf(sql, original), await rowsOf(sql, last.realms.copy)];
  expect(last.mapped(after)).toEqual(last.named(before));
  expect(unsaid(before)).toEqual([]);
});

async function imported(file: string, host: string): Promise<void> {
  const { config } = server.server.app;
  const storage = { database: server.database, url: "", dataDir: config.dataDir, close: async () => {} };
  await importFromZulip(storage, config, { file, host });
}

async function setUp(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), "parley-export-"));
  await furnish(server, people);
  await sayLinkToPage(server.owner, people[0], people[1]);
  const file = await exported("first.tar.gz", "localhost");
  await setIdsApart(server.database.sql);
  await imported(file, "127.0.0.1");
  twins = await TwinClients.open(server, { copy: "127.0.0.1" });
  // A server that runs hears of a new organization within moments.
  const { system } = server.server.app;
  const { sql } = server.database;
  const [copy] = await sql<{ id: number }[]>`select id from realms where host = '127.0.0.1'`;
  await until("the copy is served", async () => (await system.realmByHost("127.0.0.1")).id === copy!.id);
}
