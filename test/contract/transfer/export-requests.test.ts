/** Exports that administrators ask for. https://zulip.com/api/export-realm */
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { exportJob } from "../../../actors/transfer/export-job.ts";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";
import { readExport, type Tables } from "../../support/transfer/exports.ts";

const server = testServer();
const [ada, bob, cy] = server.people(["Ada", 200], "Bob", "Cy");
const { owner } = server;
const open = server.channel("open", [ada, bob, cy]);
const inner = server.channel("inner", [ada, bob], { invite_only: true });
const theirs = server.channel("theirs", [ada, cy], { invite_only: true });
beforeAll(speak);

it("tells administrators who agreed, and of changes at once", async () => {
  const queue = await ada.queue({ event_types: ["realm_export_consent"] });
  const others = await cy.queue({ event_types: ["realm_export_consent"] });
  expectSuccess(await bob.client.patch("/settings", { allow_private_data_export: true }));
  expect(await ada.next(queue, "realm_export_consent")).toMatchObject({ user_id: bob.id, consented: true });
  expect(await cy.drain(others)).toEqual([]);
  const { export_consents } = expectSuccess(await ada.client.get("/export/realm/consents"));
  const listed = export_consents as { user_id: number; consented: boolean }[];
  expect(listed.filter(({ consented }) => consented)).toEqual([
    { user_id: bob.id, consented: true, email_address_visibility: 4 },
  ]);
  expect(listed.map(({ user_id }) => user_id)).toEqual([owner.id, ada.id, bob.id, cy.id]);
});

it("is for administrators", async () => {
  for (const answer of [
    await bob.client.get("/export/realm"),
    await bob.client.post("/export/realm"),
    await bob.client.get("/export/realm/consents"),
    await bob.client.delete("/export/realm/1"),
  ])
    expectError(answer, 400, "UNAUTHORIZED_PRINCIPAL");
});

it("refuses what nobody agreed to", async () => {
  const without = await ada.client.post("/export/realm", { export_type: "full_without_consent" });
  expect(without.status).toBe(400);
  const consented = await ada.client.post("/export/realm", { export_type: "full_with_consent" });
  expect(expectError(consented, 400, "BAD_REQUEST")["msg"]).toContain("at least one Organization Owner");
  expect((await ada.client.post("/export/realm", { export_type: "everything" })).status).toBe(400);
});

describe("a public one", () => {
  it("is written, told of, read by administrators only, and deleted", async () => {
    const queue = await ada.queue({ event_types: ["realm_export"] });
    const { id } = expectSuccess(await ada.client.post("/export/realm"));
    expect((await ada.next(queue, "realm_export"))["exports"]).toMatchObject([
      { id, pending: true, export_url: null, export_type: "public", acting_user_id: ada.id },
    ]);
    const done = await finished(id as number);
    expect(done).toMatchObject({ pending: false, failed_timestamp: null, deleted_timestamp: null });
    expect((await ada.next(queue, "realm_export"))["exports"]).toEqual([done]);

    const path = new URL(done["export_url"] as string).pathname;
    const tables = await downloaded(path);
    expect(tables["zerver_message"]!.map((row) => row["content"])).toContain("for everybody");
    expect(texts(tables)).not.toMatch(/for Bob|for Cy|to Bob|to Cy|word of|bob@example.com|theirs/);
    expect(tables["zerver_usermessage"]).toEqual([]);
    expect((await bob.client.get(path, {}, { root: true })).status).toBe(400);
    expect((await fetch(server.url + path)).status).toBe(401);

    expectSuccess(await ada.client.delete(`/export/realm/${id}`));
    expect((await ada.client.get(path, {}, { root: true })).status).toBe(404);
    const [left] = await listed();
    expect(left).toMatchObject({ id, export_url: null, pending: false });
    expect(left!["deleted_timestamp"]).toEqual(expect.any(Number));
    const again = await ada.client.delete(`/export/realm/${id}`);
    expect(expectError(again, 400, "BAD_REQUEST")["msg"]).toBe("Export already deleted");
    const unknown = await ada.client.delete("/export/realm/999999");
    expect(expectError(unknown, 400, "BAD_REQUEST")["msg"]).toBe("Invalid data export ID");
  });
});

it("has what belongs to who agreed, and nothing of others", async () => {
  expectSuccess(await owner.client.patch("/settings", { allow_private_data_export: true }));
  const { id } = expectSuccess(await ada.client.post("/export/realm", { export_type: "full_with_consent" }));
  const { export_url } = await finished(id as number);
  const tables = await downloaded(new URL(export_url as string).pathname);
  const said = tables["zerver_message"]!.map((row) => row["content"]);
  expect(said).toEqual(expect.arrayContaining(["for everybody", "for Bob", "to Bob"]));
  expect(texts(tables)).not.toMatch(/for Cy|to Cy|word of Cy|cy@example.com|theirs/);
  expect(tables["zerver_alertword"]!.map((row) => row["word"])).toEqual(["word of Bob"]);
  const readers = new Set(tables["zerver_usermessage"]!.map((row) => row["user_profile"]));
  // The owner agreed too, and has received nothing.
  expect([...readers]).toEqual([bob.id]);
});

it("is tried three times, and five are written in a week", async () => {
  const { sql } = server.database;
  const [first] = await sql<{ id: number }[]>`select id from realm_exports order by id limit 1`;
  // The server would take it up by itself.
  const { run } = exportJob;
  Object.assign(exportJob, { run: async () => {} });
  onTestFinished(() => void Object.assign(exportJob, { run }));
  await sql`update realm_exports set state = 'pending', attempts = 3 where id = ${first!.id}`;
  const busy = await ada.client.post("/export/realm");
  expect(expectError(busy, 400, "BAD_REQUEST")["msg"]).toContain("under way");
  const realm = await server.realm();
  expect(await realm.execute("beginExport", { id: first!.id })).toBeNull();
  expect((await listed())[0]!["failed_timestamp"]).toEqual(expect.any(Number));
  await sql`
    insert into realm_exports (id, realm_id, acting_user_id, type, requested_at, state, file)
    select nextval('object_ids'), realm_id, acting_user_id, type, requested_at, 'deleted', file
    from realm_exports, generate_series(1, 4) where id = (select max(id) from realm_exports)`;
  expect(expectError(await ada.client.post("/export/realm"), 400, "BAD_REQUEST")["msg"]).toContain(
    "5 exports in a week",
  );
});

const listed = async () => expectSuccess(await ada.client.get("/export/realm"))["exports"] as JsonObject[];

/** An export once it is no longer pending. */
async function finished(id: number): Promise<JsonObject> {
  let found: JsonObject | undefined;
  await until(
    "the export is done",
    async () => {
      found = (await listed()).find((one) => one["id"] === id);
      return found?.["pending"] === false;
    },
    60_000,
  );
  return found!;
}

async function downloaded(path: string): Promise<Tables> {
  const key = Buffer.from(`${ada.email}:${ada.apiKey}`).toString("base64");
  const answer = await fetch(server.url + path, { headers: { Authorization: `Basic ${key}` } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="zulip-export-/);
  const file = join(tmpdir(), `parley-export-${process.pid}-${path.split("/").at(-1)}`);
  await writeFile(file, Buffer.from(await answer.arrayBuffer()));
  try {
    return await readExport(file);
  } finally {
    await rm(file);
  }
}

const texts = (tables: Tables): string => JSON.stringify(tables);

async function speak(): Promise<void> {
  await ada.say(open, "for everybody");
  await ada.say(inner, "for Bob");
  await ada.say(theirs, "for Cy");
  await ada.say([bob], "to Bob");
  await ada.say([cy], "to Cy");
  for (const person of [bob, cy]) {
    expectSuccess(await person.client.post("/users/me/alert_words", { alert_words: [`word of ${person.name}`] }));
    expectSuccess(await person.client.patch("/settings", { email_address_visibility: 4 }));
  }
}
