/**
 * What PostgreSQL undoes for the sake of others, as an operator may have set it up. It undoes what does not get its
 * locks in time (55P03), and a transaction that others overtook (40001). It is tried again and done once, or answered
 * 503 and not done.
 */
import { afterEach, expect, it } from "vitest";
import type { Sql } from "../../../storage/postgres.ts";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { holdLock, waiterFor } from "../../support/faults/locks.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

/** Long enough for what has no lock to wait for, on a busy machine. */
const commandDeadlineMs = 15_000;
const server = testServer({ environment: { PARLEY_COMMAND_DEADLINE_MS: String(commandDeadlineMs) } });
const [ada] = server.people("Ada");

const hold = (lock: (sql: Sql) => Promise<unknown>) => holdLock(server, lock);
const overtaken = ["default_transaction_isolation", "repeatable read"] as const;
const hasty = ["lock_timeout", "200ms"] as const;

afterEach(() => setUp());

it("a change whose locks were not to be had in time is tried again, and made once they are", async () => {
  await setUp(hasty);
  const account = await hold((sql) => sql`select from users where id = ${ada.id} for update`);
  const change = ada.client.patch("/settings", { full_name: "Ada Lovelace" });
  await triedAgain("users");
  await account.letGo();
  expectSuccess(await change);
  expect(await nameOf(ada.id)).toBe("Ada Lovelace");
});

it("a message whose locks were not to be had in time is tried again, and stored once", async () => {
  await setUp(hasty);
  const messages = await hold((sql) => sql`lock table messages in share mode`);
  const sent = send("in the end");
  await triedAgain("insert into messages");
  await messages.letGo();
  expectSuccess(await sent);
  expect(await said("in the end")).toBe(1);
});

it("messages that are marked read while locks are not to be had in time are read in the end", async () => {
  const { id } = expectSuccess(await send("to be read"));
  await setUp(hasty);
  const states = await hold((sql) => sql`lock table read_states in share mode`);
  const marked = ada.client.post("/messages/flags", { messages: [id], op: "add", flag: "read" });
  await triedAgain("read_states");
  await states.letGo();
  expectSuccess(await marked);
  const { message } = expectSuccess(await ada.client.get(`/messages/${id}`)) as { message: { flags: string[] } };
  expect(message.flags).toContain("read");
});

it("a read whose locks were not to be had in time is tried again", async () => {
  await setUp(hasty);
  const drafts = await hold((sql) => sql`lock table drafts in access exclusive mode`);
  const read = ada.client.get("/drafts");
  await triedAgain("drafts");
  await drafts.letGo();
  expect(expectSuccess(await read)).toMatchObject({ drafts: [] });
});

it("whoever waits for a lock for longer than a request may is told that nothing was done, and nothing is", async () => {
  await setUp(hasty);
  const messages = await hold((sql) => sql`lock table messages in share mode`);
  const account = await hold((sql) => sql`select from users where id = ${ada.id} for update`);
  const refused = await Promise.all([send("never"), ada.client.patch("/settings", { full_name: "Nobody" })]);
  await Promise.all([messages.letGo(), account.letGo()]);
  for (const answer of refused) {
    expect(expectError(answer, 503, "SERVICE_UNAVAILABLE").msg).toContain("nothing was done");
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  }
  expectSuccess(await send("after that"));
  expect(await said("never")).toBe(0);
  expect(await nameOf(ada.id)).not.toBe("Nobody");
});

it("a change that was overtaken is tried again, and made", async () => {
  await setUp(overtaken);
  const rival = await hold((sql) => sql`update users set full_name = full_name where id = ${ada.id}`);
  const change = ada.client.patch("/settings", { full_name: "Countess" });
  await waiterFor(server, "users");
  await rival.letGo();
  expectSuccess(await change);
  expect(await nameOf(ada.id)).toBe("Countess");
});

it("a message that was overtaken is tried again, and stored once", async () => {
  await setUp(overtaken);
  const rival = await hold((sql) => sql`update realms set name = name`);
  const sent = send("overtaken");
  await waiterFor(server, "insert into messages");
  await rival.letGo();
  expectSuccess(await sent);
  expect(await said("overtaken")).toBe(1);
});

/** Has the server's connections set up like this, or as usual. */
async function setUp(setting?: readonly [name: string, value: string]): Promise<void> {
  const { sql } = server.database;
  const [{ name }] = (await sql`select current_database() as name`) as unknown as [{ name: string }];
  await sql`alter database ${sql(name)} reset all`;
  // Unsafe: names and values are those above; PostgreSQL takes no parameters here.
  if (setting) await sql.unsafe(`alter database "${name}" set ${setting[0]} = '${setting[1]}'`);
  for (const { app } of server.nodes) {
    const { database } = app.system.environment;
    database.renew();
    database.vital.renew();
  }
}

/** Resolves when a statement with these words waits for a lock in one transaction, and later in another. */
async function triedAgain(words: string): Promise<void> {
  const begun = new Set<string>();
  await until(`"${words}" to be tried again`, async () => {
    const pid = await waiterFor(server, words);
    const rows = await server.database.vital.sql<{ began: string }[]>`
      select xact_start::text as began from pg_stat_activity where pid = ${pid} and wait_event_type = 'Lock'`;
    for (const { began } of rows) begun.add(began);
    return begun.size > 1;
  });
}

const send = (content: string) =>
  server.owner.client.post("/messages", { type: "channel", to: "general", topic: "conflicts", content });

/** How often somebody has said that. */
async function said(content: string): Promise<number> {
  const rows = await server.database.sql<{ count: number }[]>`
    select count(*)::int as count from messages where content = ${content}`;
  return rows[0]!.count;
}

async function nameOf(id: number): Promise<unknown> {
  return (expectSuccess(await ada.client.get(`/users/${id}`))["user"] as JsonObject)["full_name"];
}
