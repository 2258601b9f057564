/**
 * Rows that change all day are updated in place (HOT), so that no index gets an entry for each version. Counted by
 * PostgreSQL itself.
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { insertEventQueue, saveCursors } from "../../storage/event-queues.ts";
import { migrate } from "../../storage/migrate.ts";
import { connect, type Database } from "../../storage/postgres.ts";
import { insertRealm } from "../../storage/realms.ts";
import { savePresence } from "../../storage/users/presence.ts";
import { createTestDatabase, type TestDatabase } from "../support/server/postgres.ts";
import { until } from "../support/time/until.ts";

let testDatabase: TestDatabase;
let database: Database;
let realmId: number;
const now = 1_700_000_000;
/** Many pages of each table. */
const people = Array.from({ length: 1_000 }, (_, place) => place + 10);
const rounds = [1, 2, 3, 4];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  // One session: only what itself has counted can a session have shown at once.
  database = connect(testDatabase.url, { maxConnections: 1 });
  await migrate(database);
  realmId = await insertRealm(database.sql, { host: null, name: "Test", now, settings: {} });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

type Table = "presence" | "event_queues";

/**
 * Makes room for the next versions. Those that somebody may still see stay on their page, as while PostgreSQL analyzes
 * tables by itself. So this takes as long as anybody looks.
 */
const clean = (table: Table) =>
  until("earlier versions to be gone", async () => {
    await database.sql`select pg_stat_force_next_flush()`;
    await database.sql`vacuum ${database.sql(table)}`;
    const [left] = await database.sql`select n_dead_tup as dead from pg_stat_user_tables where relname = ${table}`;
    return Number(left!["dead"]) === 0;
  });

/** Rows of a table that were updated since the test began, and how many of them in place. */
async function updatesOf(table: Table) {
  await database.sql`select pg_stat_force_next_flush()`;
  const [counts] = await database.sql<{ updated: number; in_place: number }[]>`
    select n_tup_upd as updated, n_tup_hot_upd as in_place from pg_stat_user_tables where relname = ${table}`;
  return counts!;
}

it("presence of everybody, minute after minute", async () => {
  for (const round of [0, ...rounds]) {
    await clean("presence");
    await savePresence(
      database.sql,
      realmId,
      people.map((user_id) => ({ user_id, active_at: now, idle_at: now + 60 * round, update_id: round + 1 })),
    );
  }
  const { updated, in_place } = await updatesOf("presence");
  expect(updated).toBe(people.length * rounds.length);
  expect(in_place / updated).toBeGreaterThan(0.95);
});

it("how far the clients of all queues have read", async () => {
  // As a phone registers. Its row has half a kB.
  const registration = {
    event_types: ["message", "update_message", "delete_message", "reaction", "presence", "typing", "subscription"],
    narrow: [],
    all_public_streams: false,
    client_capabilities: Object.fromEntries(
      [
        "notification_settings_null",
        "bulk_message_deletion",
        "user_avatar_url_field_optional",
        "stream_typing_notifications",
      ].map((name) => [name, true]),
    ),
  };
  const queues = people.map((user_id) => ({ id: randomUUID(), user_id }));
  for (const { id, user_id } of queues)
    await insertEventQueue(database.sql, {
      id,
      realm_id: realmId,
      user_id,
      registration,
      start_position: 1,
      snapshot_position: 1,
      cursor: 1,
      idle_timeout_secs: 600,
      seen_at: now,
      session_hash: null,
      generation: 1,
    });
  for (const round of rounds) {
    await clean("event_queues");
    await saveCursors(
      database.sql,
      queues.map(({ id }) => ({ id, claim: 0, cursor: 1 + round, seen_at: now + 150 * round })),
    );
  }
  const { updated, in_place } = await updatesOf("event_queues");
  expect(updated).toBe(people.length * rounds.length);
  expect(in_place / updated).toBeGreaterThan(0.95);
});
