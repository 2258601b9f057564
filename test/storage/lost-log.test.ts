import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { findLoss } from "../../storage/lost-log.ts";
import { migrate } from "../../storage/migrate.ts";
import { connect, type Database } from "../../storage/postgres.ts";
import { appendLog } from "../../storage/realm-log.ts";
import { insertRealm } from "../../storage/realms.ts";
import { createTestDatabase, type TestDatabase } from "../support/server/postgres.ts";

let testDatabase: TestDatabase;
let database: Database;
let realmId: number;
const now = Math.floor(Date.now() / 1000);

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
beforeEach(async () => {
  await database.sql`delete from realm_log`;
});

const log = (positions: number[]) =>
  database.transaction((sql) =>
    appendLog(
      sql,
      realmId,
      positions.map((position) => ({ position, json: "{}" })),
      now,
    ),
  );
const lossAfter = (seen: number) => findLoss(database.sql, realmId, seen);

it("an entry that is there was not lost, whatever came after it", async () => {
  await log([3, 5, 9]);
  expect(await lossAfter(9)).toBeUndefined();
  expect(await lossAfter(5)).toBeUndefined();
});

it("an entry that is missing above others was lost, also where a new writer has gone on above it", async () => {
  await log([3, 5]);
  expect(await lossAfter(7)).toBe(5);
  await log([1_000_000]);
  expect(await lossAfter(7)).toBe(5);
});

it("an entry that is missing where nothing older is left was dropped with its day", async () => {
  expect(await lossAfter(7)).toBeUndefined();
  await log([9]);
  expect(await lossAfter(7)).toBeUndefined();
  expect(await lossAfter(0)).toBeUndefined();
});
