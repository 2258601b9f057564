import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deleteEventQueues, findEventQueue, insertEventQueue, saveCursors } from "../../storage/event-queues.ts";
import { migrate } from "../../storage/migrate.ts";
import { connect, type Database } from "../../storage/postgres.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = connect(testDatabase.url, { maxConnections: 2 });
  await migrate(database);
  await database.sql`insert into realms (id, name, date_created) values (1, 'r', 0)`;
});
afterAll(async () => {
  await database?.close();
  await testDatabase?.drop();
});

/** Registers a queue last polled at 100. */
async function addQueue(): Promise<string> {
  const id = randomUUID();
  const place = { start_position: 0, snapshot_position: 0, cursor: 0 };
  const row = { id, realm_id: 1, user_id: 1, registration: {}, idle_timeout_secs: 600, seen_at: 100, ...place };
  await insertEventQueue(database.sql, row);
  return id;
}

describe("a queue's registration", () => {
  it("outlives a node that thinks nobody polls it while another one is polled", async () => {
    const id = await addQueue();
    await saveCursors(database.sql, [{ id, cursor: 5, seen_at: 300 }]);
    await deleteEventQueues(database.sql, [{ id, seenAt: 200 }]);
    expect(await findEventQueue(database.sql, id)).toMatchObject({ cursor: 5, seen_at: 300 });
    await deleteEventQueues(database.sql, [{ id, seenAt: 300 }]);
    expect(await findEventQueue(database.sql, id)).toBeUndefined();
  });

  it("does not outlive its deletion", async () => {
    const [deleted, other] = [await addQueue(), await addQueue()];
    await deleteEventQueues(database.sql, [{ id: deleted, seenAt: null }]);
    expect(await findEventQueue(database.sql, deleted)).toBeUndefined();
    expect(await findEventQueue(database.sql, other)).toBeDefined();
  });
});
