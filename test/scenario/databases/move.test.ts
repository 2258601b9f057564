/** An organization moves between two PostgreSQLs while people poll and send. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { moveRealmToDatabase, told } from "../../../http/process/homes/move-realm.ts";
import type { MoveStep } from "../../../storage/directory/move/move.ts";
import { type RealmTable, readRealmTables } from "../../../storage/directory/move/realm-tables.ts";
import { type Sql, takeTime } from "../../../storage/postgres.ts";
import { expectSuccess } from "../../support/client/api.ts";
import { type HostedRealm, twoDatabases } from "../../support/databases/two-databases.ts";
import { Poller, Sender } from "../../support/faults/load.ts";
import { runCommand } from "../../support/server/command-line.ts";
import { until } from "../../support/time/until.ts";

const databases = twoDatabases();
const { server } = databases;

const move = async ({ host }: HostedRealm, to: string): Promise<number> => {
  const { data } = await moveRealmToDatabase(databases.storage, server.server.app.config, { file: host, to });
  return (data as { stopped_ms: number }).stopped_ms;
};

const channelOf = async ({ owner }: HostedRealm): Promise<number> =>
  expectSuccess(await owner.get("/get_stream_id", { stream: "general" }))["stream_id"] as number;

it("there and back: no message lost, none twice, the queues go on", async () => {
  const realm = await databases.addRealm("Moving", "main");
  const channelId = await channelOf(realm);
  const pollers: Poller[] = [];
  for (let count = 0; count < 3; count++) {
    const queue = expectSuccess(await realm.owner.post("/register", { event_types: ["message"] }));
    pollers.push(new Poller([realm.owner], queue["queue_id"] as string, queue["last_event_id"] as number));
  }
  for (const poller of pollers) poller.start();
  const senders = ["one", "two"].map((name) => new Sender(name, [realm.owner], { channelId, topic: "moving" }));
  for (const sender of senders) sender.start();
  const more = async (count: number) => {
    const before = senders.map(({ acknowledgedCount }) => acknowledgedCount);
    await until("more to be sent", () =>
      senders.every(({ acknowledgedCount }, index) => acknowledgedCount >= before[index]! + count),
    );
  };
  await more(20);
  const stops: number[] = [];
  for (const to of ["east", "main"]) {
    stops.push(await move(realm, to));
    await more(20);
  }
  for (const sender of senders) await sender.stop();
  // Less than a change waits (`PARLEY_COMMAND_DEADLINE_MS` of these databases): nobody is refused.
  for (const stop of stops) expect(stop).toBeLessThan(20_000);
  const sent = senders.flatMap(({ acknowledged }) => acknowledged);
  expect(senders.flatMap(({ bugs }) => bugs)).toEqual([]);
  const ids = sent.map(({ id }) => id!);
  for (const poller of pollers)
    await until(
      "everything to be told",
      () => poller.lost !== undefined || ids.every((id) => poller.messageIds.includes(id)),
    );
  for (const poller of pollers) {
    await poller.stop();
    expect(poller.lost).toBeUndefined();
    expect(poller.bugs).toEqual([]);
    expect(poller.eventIds).toEqual([...new Set(poller.eventIds)].sort((a, b) => a - b));
    expect(new Set(poller.contents).size).toBe(poller.contents.length);
  }
  const narrow = [{ operator: "topic", operand: "moving" }];
  const history = await realm.owner.get("/messages", {
    narrow,
    anchor: "newest",
    num_before: 1000,
    num_after: 0,
    apply_markdown: false,
  });
  const messages = expectSuccess(history)["messages"] as { id: number; content: string }[];
  for (const { id, content } of sent)
    expect(messages.filter((message) => message.content === content).map((message) => message.id)).toEqual([id]);
  expect(new Set(messages.map(({ content }) => content)).size).toBe(messages.length);
});

it("takes every row of every table along", async () => {
  await databases.furnishFirst();
  const tables = await readRealmTables(server.database.sql);
  const east = databases.named("east");
  const compared: string[] = [];
  const { client } = server.owner;
  const say = async (content: string) =>
    expectSuccess(await client.post("/messages", { type: "channel", to: "general", topic: "t", content }))["id"];
  const [edited, deleted] = [await say("as it was"), await say("to be deleted")];
  const step = async (name: MoveStep) => {
    // After the copy of most, and before the stop.
    if (name === "stop") {
      expectSuccess(await client.patch(`/messages/${edited}`, { content: "as it is" }));
      expectSuccess(await client.delete(`/messages/${deleted}`));
      expectSuccess(await client.post(`/messages/${await say("new")}/reactions`, { emoji_name: "tada" }));
    }
    if (name !== "delete") return;
    for (const table of tables) {
      const [here, there] = await Promise.all([server.database, east].map(({ sql }) => rowsOf(sql, table, 1)));
      expect(there, table.name).toEqual(here);
      if (here!.length > 0) compared.push(table.name);
    }
  };
  await databases.move({ realm_id: 1, host: "127.0.0.1", source: "main", target: "east" }, step);
  expect(compared).toEqual(
    expect.arrayContaining([
      ...["messages", "realm_log", "audit_log", "event_queues", "credentials", "sessions", "user_topics", "drafts"],
      ...["attachments", "legal_holds", "direct_conversation_members", "read_states", "identities", "passkeys"],
    ]),
  );
  for (const table of tables) expect(await rowsOf(server.database.sql, table, 1)).toEqual([]);
  const here = expectSuccess(await client.get(`/messages/${edited}`))["message"] as { content: string };
  expect(here.content).toBe("<p>as it is</p>");
  expect(await say("here")).toBeGreaterThan(deleted as number);
}, 120_000);

it("is not held up by a transaction that somebody else has open since before it", async () => {
  const realm = await databases.addRealm("Beside", "main");
  const { sql } = server.database;
  const auditOf = (at: Sql) => at`select num, hash from audit_log where realm_id = ${realm.id} order by num`;
  expectSuccess(await realm.owner.patch("/realm", { description: "before" }));
  const before = await auditOf(sql);
  expect(before).not.toHaveLength(0);
  await server.database.transaction(async (other) => {
    await takeTime(other);
    // It has a number of its own, so PostgreSQL cannot tell that rows of after its begin are older than the copy.
    await other`select pg_current_xact_id()`;
    expectSuccess(await realm.owner.patch("/realm", { description: "meanwhile" }));
    const step = async (name: MoveStep) => {
      if (name === "stop") expectSuccess(await realm.owner.patch("/realm", { description: "after the copy" }));
    };
    await databases.move({ realm_id: realm.id, host: realm.host, source: "main", target: "east" }, step);
  });
  const after = await auditOf(databases.named("east").sql);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after).toHaveLength(before.length + 2);
});

describe("ends whole, wherever it is cut off", () => {
  const steps: [step: MoveStep, ends: string][] = [
    ["copy", "main"],
    ["stop", "main"],
    ["renew", "main"],
    ["delete", "main"],
    ["arrive", "east"],
  ];

  it.each(steps)("by an error before %s: in %s", async (step, place) => {
    const realm = await databases.addRealm(`Failing ${step}`, "main");
    const { host, id: realm_id } = realm;
    const fails = (now: MoveStep) => {
      if (now === step) throw new Error("the end");
    };
    await expect(databases.move({ realm_id, host, source: "main", target: "east" }, fails)).rejects.toThrow("the end");
    await isWhole(realm, place);
  });

  it.each(steps)("by kill -9 at %s: in %s", async (step, place) => {
    const realm = await databases.addRealm(`Killed ${step}`, "main");
    const registered = expectSuccess(await realm.owner.post("/register", { event_types: ["message"] }));
    const queue_id = registered["queue_id"] as string;
    const { code, stderr } = await runCommand(["realm", "move", realm.host, "--to", "east"], {
      ...databases.commandEnvironment,
      NODE_OPTIONS: `--import ${join(import.meta.dirname, "../../support/transfer/kill-at.mjs")}`,
      PARLEY_TEST_KILL_AT: told[step],
    });
    expect(code, stderr).toBe(null);
    await isWhole(realm, place);
    const { last_event_id } = registered;
    const { events } = expectSuccess(await realm.owner.get("/events", { queue_id, last_event_id })) as {
      events: { message: { content: string } }[];
    };
    expect(events.map(({ message }) => message.content)).toEqual(["whole"]);
  });
});

/** It is in that database and in no other, nobody moves it any more, and it takes messages. */
async function isWhole({ id, owner }: HostedRealm, place: string): Promise<void> {
  const { sql } = server.database;
  await until("nobody to move it any more", async () => {
    const moves = await sql`select from realm_moves where realm_id = ${id}`;
    return moves.length === 0;
  });
  for (const name of ["main", "east"]) {
    const rows = await databases.named(name).sql<{ isArriving: boolean }[]>`
      select is_arriving as "isArriving" from realms where id = ${id}`;
    expect(rows).toEqual(name === place ? [{ isArriving: false }] : []);
  }
  expectSuccess(await owner.post("/messages", { type: "channel", to: "general", topic: "t", content: "whole" }));
}

/** What tells a copy from what is served, and what nodes save now and then of what clients say anyway. */
const passing: Readonly<Record<string, readonly string[]>> = {
  realms: ["is_arriving", "writer_system", "writer_timeline"],
  event_queues: ["cursor", "seen_at"],
  presence: ["active_at", "idle_at", "update_id"],
};

/** Rows of an organization as text. */
async function rowsOf(sql: Sql, { name, of, columns }: RealmTable, realmId: number): Promise<string[]> {
  const list = columns.filter((column) => !passing[name]?.includes(column)).map((column) => `"${column}"`);
  const rows = await sql.unsafe<{ text: string }[]>(
    `select row(${list.join(", ")})::text as text from "${name}" where ${of(realmId)} order by 1`,
  );
  return rows.map(({ text }) => text);
}
