/** What many who ask at once get: a connection for each transaction, and patience for whoever waits behind others. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, type Database } from "../../../storage/postgres.ts";
import { timely } from "../../../storage/timely.ts";
import { createTestDatabase, type TestDatabase } from "../../support/server/postgres.ts";

let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  // Of fewer than four connections none is set apart.
  database = connect(testDatabase.url, { maxConnections: 2 });
  await database.sql`create table notes (note text)`;
});
afterAll(async () => {
  await database?.close();
  await testDatabase?.drop();
});

/** A note of its own transaction, and the id of that transaction. */
const note = (text: string) =>
  database.transaction(async (sql) => {
    await sql`insert into notes values (${text})`;
    const [row] = await sql<{ id: string }[]>`select pg_current_xact_id()::text as id`;
    return row?.id;
  });

describe("transactions beside statements of their own", () => {
  it("keep their connection, whatever number is on the way already", async () => {
    for (const before of [98, 99, 100, 101, 199, 200, 201]) {
      const statements = Array.from({ length: before }, (_, n) => database.sql`select ${n}::int as n`.execute());
      const ids = await Promise.all(Array.from({ length: 6 }, () => note(`after ${before}`)));
      expect(new Set(ids).size).toBe(6);
      expect((await Promise.all(statements)).map(([row]) => row?.["n"])).toEqual(statements.map((_, n) => n));
    }
  });
});

describe("a line of statements", () => {
  it("is waited for as long as those before are answered, on the same connections", async () => {
    const { sql } = database;
    // Some four seconds on two connections, of which each statement takes little.
    const before = Array.from({ length: 160 }, () => sql`select pg_sleep(0.05)`.execute());
    const [row] = await timely(database, 2000, sql`select 1 as last`.execute());
    expect(row?.["last"]).toBe(1);
    expect(database.sql).toBe(sql);
    await Promise.all(before);
  });
});
