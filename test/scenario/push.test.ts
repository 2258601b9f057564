/** Two people, one away: the one away is told on the phone, then by email, once each, though the server is killed. */
import { rm } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../../storage/embedded-postgres/port.ts";
import { connect, type Database } from "../../storage/postgres.ts";
import { ApiClient, expectSuccess, type JsonObject } from "../support/client/api.ts";
import { dataFolder } from "../support/server/folder.ts";
import { createTestDatabase, type TestDatabase } from "../support/server/postgres.ts";
import { TestRelay } from "../support/server/push-relay.ts";
import { type ServerProcess, startServerProcess } from "../support/server/server-process.ts";
import { TestSmtp } from "../support/server/smtp.ts";
import { until } from "../support/time/until.ts";

const smtp = new TestSmtp();
const relay = new TestRelay();
const ownerEmail = "owner@example.com";
const bobEmail = "bob@example.net";
const password = "a fine password";
let database: TestDatabase;
let tables: Database;
let folder: string;
let environment: Record<string, string>;
let server: ServerProcess;
let bobId: number;
beforeAll(async () => {
  [database, folder] = await Promise.all([createTestDatabase(), dataFolder("push"), smtp.start(), relay.start()]);
  tables = connect(database.url, { maxConnections: 1 });
  environment = {
    PORT: String(await freePort()),
    PARLEY_DATA_DIR: folder,
    DATABASE_URL: database.url,
    PARLEY_OWNER_PASSWORD: password,
    PARLEY_SMTP_URL: smtp.url,
    PARLEY_MAIL_FROM: "chat@example.org",
    PARLEY_PUSH_RELAY_URL: relay.url,
  };
  server = await startServerProcess(environment);
  const form = { email: bobEmail, password, full_name: "Bob" };
  bobId = expectSuccess(await (await as(ownerEmail)).post("/users", form))["user_id"] as number;
}, 300_000);
afterAll(async () => {
  await server?.kill();
  await tables?.close();
  await Promise.all([database?.drop(), smtp.stop(), relay.stop(), rm(folder, { recursive: true, force: true })]);
});

it("the one away gets the push, then the mail, once each over kill -9; reading elsewhere takes the badge back", async () => {
  const bob = await as(bobEmail);
  const phone = await relay.phoneOf({ client: bob });
  expectSuccess(await bob.patch("/settings", { email_notifications_batching_period_seconds: 3600 }));
  const lunch = await send("lunch?");
  // Nobody may have decided yet who is told.
  await restart();
  const [push] = await phone.get(1);
  expect(push!.says).toMatchObject({ type: "message", message_id: lunch, content: "lunch?", user_id: bobId });
  expect(push!.sees["badge"]).toBe(1);
  await sent();
  expect(smtp.mails).toEqual([]);
  await server.kill();
  await tables.sql`update missed_messages set due_at = due_at - 3600`;
  server = await startServerProcess(environment);
  const [mail] = await smtp.to(bobEmail);
  expect(mail!.text).toContain("> lunch?");

  const dinner = await send("dinner?");
  expect((await phone.get(2))[1]).toMatchObject({ says: { message_id: dinner }, sees: { badge: 2 } });
  await sent();
  expectSuccess(await (await as(bobEmail)).post("/messages/flags", { messages: [lunch], op: "add", flag: "read" }));
  // Who read what is known in memory only: a node that begins to write looks at all that phones show.
  await restart();
  await as(bobEmail);
  expect((await phone.get(3))[2]).toMatchObject({ says: { type: "remove", message_ids: [lunch] }, sees: { badge: 1 } });
  expectSuccess(await (await as(bobEmail)).post("/messages/flags", { messages: [dinner], op: "add", flag: "read" }));
  expect((await phone.get(4))[3]).toMatchObject({
    says: { type: "remove", message_ids: [dinner] },
    sees: { badge: 0 },
  });
  await sent();
  await restart();
  await send("breakfast?");
  await phone.get(5);
  expect(phone.got().map(({ says }) => says["content"] ?? says["message_ids"])).toEqual([
    "lunch?",
    "dinner?",
    [lunch],
    [dinner],
    "breakfast?",
  ]);
  expect(smtp.mails).toHaveLength(1);
}, 300_000);

it("one that the relay was being given when the server was killed comes again, under the same id", async () => {
  const phone = await relay.phoneOf({ client: await as(bobEmail) });
  const offered: JsonObject[] = [];
  relay.answer = (body) => {
    offered.push(body);
    return undefined;
  };
  await send("held");
  await until("it to be under way", () => offered.length > 0, 120_000);
  await server.kill();
  relay.answer = () => ({ status: 200, body: {} });
  server = await startServerProcess(environment);
  const [got] = await phone.get(1);
  expect(got!.sees["id"]).toBe(offered[0]!["id"]);
  await sent();
  expect(phone.got()).toHaveLength(1);
}, 300_000);

async function restart(): Promise<void> {
  await server.kill();
  server = await startServerProcess(environment);
}

async function as(email: string): Promise<ApiClient> {
  const { url } = server;
  const { api_key } = expectSuccess(await new ApiClient({ url }).post("/fetch_api_key", { username: email, password }));
  return new ApiClient({ url, email, apiKey: api_key as string });
}

async function send(content: string): Promise<number> {
  const owner = await as(ownerEmail);
  return expectSuccess(await owner.post("/messages", { type: "direct", to: [bobId], content }))["id"] as number;
}

/** Waits until nothing waits for the relay. */
async function sent(): Promise<void> {
  const waiting = async () => (await tables.sql`select from push_notifications`).length;
  await until("the relay to have all", async () => (await waiting()) === 0, 120_000);
}
