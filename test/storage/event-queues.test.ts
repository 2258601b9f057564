/** Rows of event queues that several nodes take over from each other, on a real PostgreSQL. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  claimEventQueue,
  deleteEventQueues,
  deleteExpiredQueues,
  insertEventQueue,
  rowLagSecs,
  saveCursors,
} from "../../storage/event-queues.ts";
import { migrate } from "../../storage/migrate.ts";
import { connect, type Database } from "../../storage/postgres.ts";
import { insertRealm } from "../../storage/realms.ts";
import { createTestDatabase, type TestDatabase } from "../support/server/postgres.ts";

let testDatabase: TestDatabase;
let database: Database;
let realmId: number;
const userId = 7;
const now = 1_700_000_000;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = connect(testDatabase.url, { maxConnections: 2 });
  await migrate(database);
  realmId = await insertRealm(database.sql, { host: null, name: "Test", now, settings: {} });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

/** A queue that was last polled at `seenAt`, as its row has it. */
async function queueSeen(seenAt: number, idleTimeoutSecs = 600) {
  const id = randomUUID();
  await insertEventQueue(database.sql, {
    id,
    realm_id: realmId,
    user_id: userId,
    registration: {},
    start_position: 5,
    snapshot_position: 5,
    cursor: 5,
    idle_timeout_secs: idleTimeoutSecs,
    seen_at: seenAt,
    session_hash: null,
    generation: 1,
  });
  return id;
}

const claim = (id: string, by = userId) => claimEventQueue(database.sql, { id, realmId, userId: by, lastEventId: -1 });
const isThere = async (id: string) => (await database.sql`select 1 from event_queues where id = ${id}`).length === 1;

describe("taking a queue over", () => {
  it("tells whether its client was told of what the log has lost, by its row or by what the client says", async () => {
    await database.sql`update realms set log_kept_until = 10, log_lost_until = 20 where id = ${realmId}`;
    const id = await queueSeen(now);
    const isBeyond = async (lastEventId: number) =>
      (await claimEventQueue(database.sql, { id, realmId, userId, lastEventId }))?.is_beyond_log;
    expect(await isBeyond(-1)).toBe(false);
    expect(await isBeyond(10)).toBe(false);
    expect(await isBeyond(11)).toBe(true);
    expect(await isBeyond(20)).toBe(true);
    expect(await isBeyond(21)).toBe(false);
    await database.sql`update event_queues set cursor = 15 where id = ${id}`;
    expect(await isBeyond(-1)).toBe(true);
    await database.sql`update realms set log_kept_until = null, log_lost_until = null where id = ${realmId}`;
    expect(await isBeyond(15)).toBe(false);
  });

  it("gives each taker a higher claim, and nothing to anybody but the queue's user", async () => {
    const id = await queueSeen(now);
    expect(await claim(id)).toMatchObject({ id, claim: 1, cursor: 5, seen_at: now });
    expect(await claim(id)).toMatchObject({ claim: 2 });
    expect(await claim(id, userId + 1)).toBeUndefined();
    expect(await claim(randomUUID())).toBeUndefined();
  });

  it("a node that had it before neither writes its row nor deletes it, and learns that it has it no longer", async () => {
    const id = await queueSeen(now);
    const kept = await queueSeen(now);
    await claim(id);
    const save = (queueId: string, underClaim: number) => ({
      id: queueId,
      claim: underClaim,
      cursor: 9,
      seen_at: now + 60,
    });
    expect(await saveCursors(database.sql, [save(id, 0), save(kept, 0)])).toEqual([id]);
    await deleteEventQueues(database.sql, [{ id, claim: 0 }]);
    expect(await claim(id)).toMatchObject({ claim: 2, cursor: 5, seen_at: now });
    expect(await saveCursors(database.sql, [save(id, 2)])).toEqual([]);
    expect(await claim(id)).toMatchObject({ claim: 3, cursor: 9, seen_at: now + 60 });
    await deleteEventQueues(database.sql, [{ id, claim: 3 }]);
    expect(await isThere(id)).toBe(false);
  });
});

describe("queues that no node holds", () => {
  const week = 604_800;
  const expire = (at: number, startedAt = 0) => deleteExpiredQueues(database.sql, { now: at, since: startedAt });

  it("go some time after their time-out, and not before", async () => {
    const id = await queueSeen(now);
    await expire(now + 600);
    expect(await isThere(id)).toBe(true);
    await expire(now + 600 + rowLagSecs(600) + 300);
    expect(await isThere(id)).toBe(false);
  });

  it("stay as long as their last poll may be later than their row says", async () => {
    const id = await queueSeen(now, week);
    await expire(now + week + rowLagSecs(week) - 1);
    expect(await isThere(id)).toBe(true);
  });

  it("stay when there was no node to poll: the time before this one served does not count", async () => {
    const id = await queueSeen(now);
    await expire(now + 86_400, now + 86_390);
    expect(await isThere(id)).toBe(true);
  });
});
