/** Subscriptions come back packed as they were put one by one. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { Subscriptions } from "../../actors/realm/state/subscription-index.ts";
import { migrate } from "../../storage/migrate.ts";
import { connect, type Database } from "../../storage/postgres.ts";
import type { SubscriptionRow } from "../../storage/rows.ts";
import { readOverrides, readSubscriptions, writeChanges } from "../../storage/tables.ts";
import { createTestDatabase, type TestDatabase } from "../support/server/postgres.ts";

const realmId = 7;
let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = connect(testDatabase.url, { maxConnections: 2 });
  await migrate(database);
  for (const id of [realmId, realmId + 1])
    await database.sql`insert into realms (id, name, date_created) values (${id}, 'r', 0)`;
});
afterAll(async () => {
  await database?.close();
  await testDatabase?.drop();
});

const noOverrides = {
  desktop_notifications: null,
  audible_notifications: null,
  push_notifications: null,
  email_notifications: null,
  wildcard_mentions_notify: null,
};
const row = (user_id: number, channel_id: number, change: Partial<SubscriptionRow> = {}): SubscriptionRow => ({
  ...{ realm_id: realmId, user_id, channel_id, is_active: true, color: 0x76ce90, is_muted: false, pin_to_top: false },
  ...noOverrides,
  ...change,
});
const rows = [
  row(1, 30),
  row(1, 4, { color: 0xffffff, is_muted: true }),
  row(1, 17, { color: 0, pin_to_top: true }),
  row(2, 17, { is_active: false, color: 0x800000 }),
  row(2, 30, { push_notifications: true, email_notifications: false }),
  ...Array.from({ length: 1000 }, (_, index) => row(3 + index, 5 + (index % 3))),
];

it("read a person at a time, they are what they were as rows", async () => {
  const foreign = row(1, 99, { realm_id: realmId + 1 });
  await database.transaction((sql) => writeChanges(sql, [{ table: "subscriptions", put: [...rows, foreign] }]));

  const expected = new Subscriptions(realmId);
  for (const put of rows) expected.put(put);
  const loaded = new Subscriptions(realmId);
  await database.transaction(async (sql) => {
    for await (const people of readSubscriptions(sql, realmId)) for (const person of people) loaded.load(person);
    for (const put of await readOverrides(sql, realmId)) loaded.put(put);
  });

  const userIds = [...new Set(rows.map(({ user_id }) => user_id))];
  for (const userId of userIds) expect([...loaded.of(userId)]).toEqual([...expected.of(userId)]);
  for (const channelId of [4, 5, 6, 7, 17, 30, 99])
    expect(loaded.subscribers(channelId).toArray()).toEqual(expected.subscribers(channelId).toArray());
  // What comes later finds its place.
  for (const subscriptions of [loaded, expected]) {
    subscriptions.put(row(1, 20));
    subscriptions.put(row(1, 4, { is_active: false }));
    subscriptions.put(row(0, 30));
  }
  for (const userId of [0, 1]) expect([...loaded.of(userId)]).toEqual([...expected.of(userId)]);
  expect(loaded.subscribers(30).toArray()).toEqual([0, 1, 2]);
  expect(loaded.subscribers(4).toArray()).toEqual([]);
});
