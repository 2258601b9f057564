/** What tells a log that lost its end from one that has grown old. */
import { beforeEach, expect, it } from "vitest";
import { findLoss } from "../../storage/lost-log.ts";
import { appendLog } from "../../storage/realm-log.ts";
import { storedRealm } from "../support/rooms/stored-realm.ts";

const stored = storedRealm();

beforeEach(async () => {
  await stored.database.sql`delete from realm_log`;
});

const log = (positions: number[]) => {
  const rows = positions.map((position) => ({ position, json: "{}" }));
  return stored.database.transaction((sql) => appendLog(sql, stored.realmId, rows, stored.now));
};
const lossAfter = (seen: number) => findLoss(stored.database.sql, stored.realmId, seen);

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
