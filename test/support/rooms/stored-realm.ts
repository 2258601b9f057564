/** A database with one realm in it, for tests of storage alone. */
import { afterAll, beforeAll } from "vitest";
import { migrate } from "../../../storage/migrate.ts";
import { connect, type Database } from "../../../storage/postgres.ts";
import { rollPartitions } from "../../../storage/realm-log.ts";
import { createTestDatabase, type TestDatabase } from "../server/postgres.ts";

/** UNIX seconds: the day that the log is prepared for. */
const now = 1_700_000_000;

/** It is there before the file's tests, and gone after them. @param make where it is to be, if not with the others */
export function storedRealm(make: () => Promise<TestDatabase> = createTestDatabase) {
  const realmId = 1;
  let testDatabase: TestDatabase;
  let database: Database | undefined;
  beforeAll(async () => {
    testDatabase = await make();
    database = connect(testDatabase.url, { maxConnections: 4 });
    await migrate(database);
    await rollPartitions(database, now);
    await database.sql`insert into realms (id, name, date_created) values (${realmId}, 'r', 0)`;
  });
  afterAll(async () => {
    await database?.close();
    await testDatabase?.drop();
  });
  return {
    realmId,
    now,
    get database(): Database {
      if (!database) throw new Error("The test's database is not there yet.");
      return database;
    },
    get testDatabase(): TestDatabase {
      return testDatabase;
    },
  };
}
