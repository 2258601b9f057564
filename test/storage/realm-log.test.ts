/** The fence between a realm's writers. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate } from "../../storage/migrate.ts";
import { connect, type Database, StorageUnavailable } from "../../storage/postgres.ts";
import { appendLog, fence, lastLogged, rollPartitions, WriterFenced } from "../../storage/realm-log.ts";
import { beginTerm } from "../../storage/realms.ts";
import { createTestDatabase, type TestDatabase } from "../support/server/postgres.ts";

const realmId = 1;
/** UNIX seconds */
const now = 1_700_000_000;

let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = connect(testDatabase.url, { maxConnections: 4 });
  await migrate(database);
  await rollPartitions(database, now);
  await database.sql`insert into realms (id, name, date_created) values (${realmId}, 'r', 0)`;
});
afterAll(async () => {
  await database?.close();
  await testDatabase?.drop();
});

const append = (epoch: number, position: number, before: () => Promise<unknown> = async () => {}) =>
  database.transaction(async (sql) => {
    await fence(sql, { realmId, epoch });
    await before();
    await appendLog(sql, realmId, [{ position, json: "{}" }], now);
  });

describe("a writer's term", () => {
  it("ends when another one begins: nothing is written under it any more", async () => {
    const { epoch } = await beginTerm(database, realmId, { servesReads: true });
    await append(epoch, 1);
    await beginTerm(database, realmId, { servesReads: true });
    await expect(append(epoch, 2)).rejects.toBeInstanceOf(WriterFenced);
    expect(await lastLogged(database.sql, realmId)).toBe(1);
  });

  it("ends also while its writer sleeps in the middle of a transaction", async () => {
    const { epoch } = await beginTerm(database, realmId, { servesReads: true });
    // Sleeps until its successor has begun: PostgreSQL has to end it for that, or both wait for ever.
    let successor: Promise<unknown> | undefined;
    const late = append(epoch, 3, () => {
      successor = beginTerm(database, realmId, { servesReads: true });
      return successor;
    });
    await expect(late).rejects.toBeInstanceOf(StorageUnavailable);
    await successor;
    expect(await lastLogged(database.sql, realmId)).toBe(1);
  });
});
