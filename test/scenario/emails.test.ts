/** Emails of a server that is killed while it sends, and what its log says of them. */
import { rm } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../../storage/embedded-postgres/port.ts";
import { connect, type Database } from "../../storage/postgres.ts";
import { ApiClient, expectSuccess } from "../support/client/api.ts";
import { dataFolder } from "../support/server/folder.ts";
import { createTestDatabase, type TestDatabase } from "../support/server/postgres.ts";
import { type ServerProcess, startServerProcess } from "../support/server/server-process.ts";
import { linkIn, TestSmtp } from "../support/server/smtp.ts";
import { until } from "../support/time/until.ts";

const smtp = new TestSmtp();
const owner = "owner@example.com";
const password = "correct horse";
let database: TestDatabase;
let queue: Database;
let folder: string;
let environment: Record<string, string>;
let server: ServerProcess;
beforeAll(async () => {
  [database, folder] = await Promise.all([createTestDatabase(), dataFolder("emails"), smtp.start()]);
  queue = connect(database.url, { maxConnections: 1 });
  environment = {
    PORT: String(await freePort()),
    PARLEY_DATA_DIR: folder,
    DATABASE_URL: database.url,
    PARLEY_OWNER_PASSWORD: password,
    PARLEY_SMTP_URL: smtp.url,
    PARLEY_MAIL_FROM: "chat@example.org",
    PARLEY_LOG_LEVEL: "debug",
  };
  server = await startServerProcess(environment);
}, 300_000);
afterAll(async () => {
  await server?.kill();
  await queue?.close();
  await Promise.all([database?.drop(), smtp.stop(), rm(folder, { recursive: true, force: true })]);
});

async function ownerClient(): Promise<ApiClient> {
  const anybody = new ApiClient({ url: server.url });
  const { api_key } = expectSuccess(await anybody.post("/fetch_api_key", { username: owner, password }));
  return new ApiClient({ url: server.url, email: owner, apiKey: api_key as string });
}

async function invite(name: string, count: number): Promise<string[]> {
  const addresses = Array.from({ length: count }, (_, index) => `${name}-${index}@example.net`);
  const client = await ownerClient();
  expectSuccess(await client.post("/invites", { invitee_emails: addresses.join(","), stream_ids: [] }));
  return addresses;
}

it("one that the mail server had in full, but had not taken when the server was killed, comes once", async () => {
  smtp.verdict = () => "hang";
  const [address] = await invite("held", 1);
  await until("it to be under way", () => smtp.offered === 1, 60_000);
  await server.kill();
  smtp.verdict = () => undefined;
  server = await startServerProcess(environment);
  await smtp.to(address!);
  await until("it to be gone", async () => (await waiting()) === 0, 60_000);
  expect(smtp.mails.filter(({ to }) => to === address)).toHaveLength(1);
}, 240_000);

it("all of many come though the server is killed again and again; a double is one that anybody knows by its id", async () => {
  const addresses = await invite("killed", 120);
  const got = () => smtp.mails.filter(({ to }) => to.startsWith("killed-"));
  let kills = 0;
  for (const enough of [20, 50, 80]) {
    await until(`${enough} of them`, () => got().length >= enough, 60_000);
    await server.kill();
    kills++;
    server = await startServerProcess(environment);
  }
  await until("all to be sent", async () => (await waiting()) === 0, 120_000);
  expect([...new Set(got().map(({ to }) => to))].sort()).toEqual([...addresses].sort());
  // Between the mail server's word and the note of it there is one moment for each death.
  expect(got().length - addresses.length).toBeLessThanOrEqual(kills);
  expect(new Set(got().map(({ id }) => id)).size).toBe(addresses.length);
}, 300_000);

it("who is away is told of what they missed, once, though the server is killed before and after it is noted", async () => {
  const client = await ownerClient();
  const email = "bob@example.net";
  const params = { email, password: "a fine password", full_name: "Bob" };
  const { user_id } = expectSuccess(await client.post("/users", params));
  const { api_key } = expectSuccess(
    await client.post("/fetch_api_key", { username: email, password: "a fine password" }),
  );
  const bob = new ApiClient({ url: server.url, email, apiKey: api_key as string });
  expectSuccess(await bob.patch("/settings", { email_notifications_batching_period_seconds: 1 }));
  expectSuccess(await client.post("/messages", { type: "direct", to: [user_id], content: "before" }));
  await server.kill();
  server = await startServerProcess(environment);
  const [mail] = await smtp.to(email);
  expect(mail!.text).toContain("before");
  expectSuccess(await (await ownerClient()).post("/messages", { type: "direct", to: [user_id], content: "after" }));
  await until("it to be noted, or told", async () => {
    const rows = await queue.sql<{ done: boolean }[]>`
      select message_id >= (select max(id) from messages) as done from notification_cursors`;
    return rows[0]?.done === true;
  });
  await server.kill();
  server = await startServerProcess(environment);
  await smtp.to(email, 2);
  await until("all to be told", async () => (await queue.sql`select from missed_messages`).length === 0, 60_000);
  await until("all to be sent", async () => (await waiting()) === 0, 60_000);
  const texts = smtp.mails.filter(({ to }) => to === email).map(({ text }) => text);
  expect(texts.filter((text) => text.includes("> before"))).toHaveLength(1);
  expect(texts.filter((text) => text.includes("> after"))).toHaveLength(1);
}, 240_000);

it("no link is in the log, nor what a mail server quotes of it", async () => {
  smtp.refuses = (to) => (to === "refused-0@example.net" ? 550 : undefined);
  const anybody = new ApiClient({ url: server.url });
  const form = { root: true };
  expect((await anybody.post("/accounts/password/reset/", { email: owner }, form)).status).toBe(200);
  const reset = new URL(linkIn((await smtp.to(owner)).at(-1)!.text, "/accounts/reset/"));
  const [address] = await invite("logged", 1);
  await invite("refused", 1);
  const join = new URL(linkIn((await smtp.to(address!))[0]!.text, "/join/"));
  for (const { pathname } of [reset, join]) expect((await anybody.get(pathname, {}, form)).status).toBe(200);
  expect((await anybody.post(reset.pathname, { password: "short" }, form)).status).toBe(400);
  await until("the refusal to be logged", () => server.output().includes("refused it for good"));
  for (const { pathname } of [reset, join]) expect(server.output()).not.toContain(pathname.split("/").at(-2)!);
  expect(server.output()).not.toContain("https://chat/secret");
}, 300_000);

async function waiting(): Promise<number> {
  return (await queue.sql`select from emails`).length;
}
