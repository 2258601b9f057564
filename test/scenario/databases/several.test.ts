/** Organizations in two PostgreSQLs under one server. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createOrganization } from "../../../http/process/admin.ts";
import { listOutgoing } from "../../../http/process/console/outgoing.ts";
import { showTop } from "../../../http/process/console/top.ts";
import { listRealms } from "../../../http/process/realms.ts";
import { ApiClient, expectError, expectSuccess } from "../../support/client/api.ts";
import { twoDatabases } from "../../support/databases/two-databases.ts";
import { runCommand } from "../../support/server/command-line.ts";
import { createTestDatabase } from "../../support/server/postgres.ts";
import { until } from "../../support/time/until.ts";

const archive = join(import.meta.dirname, "../../data/zulip-export/small.tar.gz");
const databases = twoDatabases();
const { server } = databases;

const adminHealth = async () => {
  const { adminPort, port } = server.server;
  const reply = await fetch(`http://127.0.0.1:${adminPort ?? port}/health`, {
    headers: { Authorization: `Bearer ${server.server.app.config.adminToken}` },
  });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
};

it("serves each by its host, with ids that no two have", async () => {
  const here = await databases.addRealm("Here", "main");
  const there = await databases.addRealm("There", "east");
  const ids: number[] = [];
  for (const { owner } of [here, there, { owner: server.owner.client }]) {
    const sent = await owner.post("/messages", { type: "channel", to: "general", topic: "first", content: "hello" });
    ids.push(expectSuccess(sent)["id"] as number);
    const me = expectSuccess(await owner.get("/users/me"));
    ids.push(-(me["user_id"] as number));
  }
  expect(new Set(ids).size).toBe(6);
  expect(there.id).not.toBe(here.id);
  const { data } = await listRealms(databases.storage, server.server.app.config);
  const { realms } = data as { realms: { name: string; database: string }[] };
  expect(realms.map(({ name, database }) => [name, database])).toEqual([
    ["Parley", "main"],
    ["Here", "main"],
    ["There", "east"],
  ]);
  const top = await showTop(databases.storage, server.server.app.config, { once: true });
  const [ofMain, ofEast] = top.text.split("\nDatabase east\n") as [string, string];
  expect([ofMain, ofEast].map((text) => /^There {2}/m.test(text))).toEqual([false, true]);
  expect([ofMain, ofEast].map((text) => /^Here {2}/m.test(text))).toEqual([true, false]);
  for (const text of [ofMain, ofEast]) expect(text).toMatch(/^mail {5}.*\n[\s\S]*^PostgreSQL {2}[\d.]+ MiB, /m);
  expect(top.data).toMatchObject({ databases: { east: { organizations: [{ name: "There" }] } } });
});

it("gives no host out twice, wherever its organization is", async () => {
  const { host } = await databases.addRealm("Only", "east");
  const again = { host, "owner-email": "o@example.com", name: "Again" };
  const { config } = server.server.app;
  for (const database of ["main", "east"])
    await expect(createOrganization(databases.storage, config, { ...again, database })).rejects.toThrow(/already/);
  await expect(createOrganization(databases.storage, config, { ...again, database: "west" })).rejects.toThrow(
    "--database is one of main, east",
  );
});

it("imports into the one that is named, and goes on there after a kill", async () => {
  const host = "imported.example.com";
  const options = { headers: { Host: host } };
  const importing = (words: string[], more: Record<string, string> = {}) =>
    runCommand(["import", "zulip", archive, ...words], { ...databases.commandEnvironment, ...more });
  for (const [words, why] of [
    [["--host", host, "--database", "west"], "--database is one of main, east"],
    [["--database", "east"], "--host is missing"],
  ] as const)
    expect(await importing([...words])).toMatchObject({ code: 1, stderr: expect.stringContaining(why) });
  const killed = await importing(["--host", host, "--database", "east"], {
    NODE_OPTIONS: `--import ${join(import.meta.dirname, "../../support/transfer/kill-at.mjs")}`,
    PARLEY_TEST_KILL_AT: "1 of 1 files",
  });
  expect(killed.code, killed.stderr).toBe(null);
  const { config } = server.server.app;
  const again = { host, "owner-email": "o@example.com", name: "Again" };
  for (const database of ["main", "east"])
    await expect(createOrganization(databases.storage, config, { ...again, database })).rejects.toThrow(/already/);
  const ask = async () => (await new ApiClient({ url: server.url }).get("/server_settings", {}, options)).status;
  expect(await ask()).toBe(404);
  // As if it had been killed before the directory had it.
  await server.database.sql`update directory set realm_id = null where host = ${host}`;
  const ended = await importing(["--json"]);
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stderr).toContain("Going on with what was begun: 1 files");
  const { owner, realmId } = JSON.parse(ended.stdout) as { owner: { email: string; apiKey: string }; realmId: number };
  const entry = await server.database.sql`select database, realm_id from directory where host = ${host}`;
  expect(entry).toEqual([{ database: "east", realm_id: realmId }]);
  expect(await server.database.sql`select from realms where host = ${host}`).toHaveLength(0);
  await until("it to be served", async () => (await ask()) === 200);
  const client = new ApiClient({ url: server.url, ...owner });
  const said = { type: "direct", to: [owner.email], content: "here" };
  expectSuccess(await client.post("/messages", said, options));
  const moved = await runCommand(["realm", "move", host, "--to", "main"], databases.commandEnvironment);
  expect(moved.code, moved.stderr).toBe(0);
  expectSuccess(await client.post("/messages", said, options));
}, 300_000);

it("gives a host out to nobody while another database makes its organization", async () => {
  const host = "127.0.0.101";
  const { config } = server.server.app;
  const { sql } = server.database;
  await sql`insert into directory (host, database) values (${host}, 'east')`;
  const values = { host, "owner-email": "o@example.com", name: "Twice" };
  await expect(createOrganization(databases.storage, config, values)).rejects.toThrow(/already/);
  // Whoever makes it there again after a kill has the host.
  const { data } = await createOrganization(databases.storage, config, { ...values, database: "east" });
  expect(data).toMatchObject({ host, database: "east" });
});

it("answers nobody under a host that no organization has, though each database may have a lone one", async () => {
  const { system } = server.server.app;
  await expect(system.realmByHost("nobody.example.com")).rejects.toMatchObject({ code: "NONEXISTENT_SUBDOMAIN" });
});

it("backs all of them up, and puts one back", async () => {
  await databases.addRealm("Kept", "east");
  const folder = await mkdtemp(join(tmpdir(), "parley-backups-"));
  const empty = await createTestDatabase();
  try {
    const file = join(folder, "backup");
    const written = await runCommand(["backup", file], databases.commandEnvironment);
    expect(written.code, written.stderr).toBe(0);
    const environment = { ...databases.commandEnvironment, PARLEY_DATABASES: `east=${empty.url}` };
    const restored = await runCommand(["restore", `${file}.east`, "--database", "east"], environment);
    expect(restored.code, restored.stderr).toBe(0);
    const listed = await runCommand(["realm", "list", "--json"], environment);
    expect(listed.code, listed.stderr).toBe(0);
    const { realms } = JSON.parse(listed.stdout) as { realms: { name: string; database: string }[] };
    expect(realms).toContainEqual(expect.objectContaining({ name: "Kept", database: "east" }));
  } finally {
    await Promise.all([empty.drop(), rm(folder, { recursive: true, force: true })]);
  }
}, 120_000);

it("one that is away takes only its own organizations down, and comes back by itself", async () => {
  const there = await databases.addRealm("Away", "east");
  const send = (content: string) =>
    there.owner.post("/messages", { type: "channel", to: "general", topic: "t", content });
  expectSuccess(await send("before"));
  databases.wire.cut();
  try {
    await until("health to say so", async () => {
      const { body } = await adminHealth();
      const all = body["databases"] as { name: string; ready: boolean }[];
      return all.some(({ name, ready }) => name === "east" && !ready);
    });
    const { status, body } = await adminHealth();
    expect([status, body["ready"]]).toEqual([200, true]);
    const sent = await server.owner.client.post("/messages", {
      type: "channel",
      to: "general",
      topic: "t",
      content: "meanwhile",
    });
    expectSuccess(sent);
    const outgoing = await listOutgoing(databases.storage, server.server.app.config, {});
    expect(outgoing.data).toMatchObject({ databases: { main: { queues: expect.any(Array) } }, away: ["east"] });
    const top = await showTop(databases.storage, server.server.app.config, { once: true });
    expect(top.text).toContain("Database east\n\nIt cannot be reached.");
    const metrics = await server.server.app.metrics.text();
    expect(metrics).toMatch(/parley_ready 1/);
    expect(metrics).toMatch(/parley_database_transactions\{pool="common",database="east"\}/);
  } finally {
    databases.wire.restore();
  }
  await until("it to be served again", async () => (await send("after")).status === 200);
  expectError(await there.owner.post("/messages", { type: "channel", to: "nowhere", topic: "t", content: "x" }), 400);
});
