/**
 * An organization with everything in it is exported and imported beside itself: what its people are told of it is the
 * same, ids mapped, and a second export is the first but for ids.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { exportRealm } from "../../../http/process/export.ts";
import { importFromZulip } from "../../../http/process/transfer.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";
import { readExport, withoutIds } from "../../support/transfer/exports.ts";
import { furnish } from "../../support/transfer/furnish.ts";
import { histories, registers, setIdsApart, TwinClients } from "../../support/transfer/twins.ts";

const server = testServer({ nodeCount: 1 });
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

async function setUp(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), "parley-export-"));
  await furnish(server, people);
  const file = await exported("first.tar.gz", "localhost");
  await setIdsApart(server.database.sql);
  const { config, system } = server.server.app;
  const { database } = system.environment;
  const storage = { database, url: "", dataDir: config.dataDir, close: async () => {} };
  await importFromZulip(storage, config, { file, host: "127.0.0.1" });
  twins = await TwinClients.open(server);
  // A server that runs hears of a new organization within moments.
  const { sql } = database;
  const [copy] = await sql<{ id: number }[]>`select id from realms where host = '127.0.0.1'`;
  await until("the copy is served", async () => (await system.realmByHost("127.0.0.1")).id === copy!.id);
}
