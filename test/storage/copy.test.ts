/** COPY into a table: rows that PostgreSQL refuses are an error, wherever it refuses them, and never a wait. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { copyIn } from "../../storage/copy.ts";
import { connect, type Database } from "../../storage/postgres.ts";
import { createTestDatabase, type TestDatabase } from "../support/server/postgres.ts";

let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = connect(testDatabase.url, { maxConnections: 2 });
  await database.sql`create table pears (id integer primary key, is_ripe boolean)`;
});
afterAll(async () => {
  await database?.close();
  await testDatabase?.drop();
});

const copy = (pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) =>
  database.transaction((sql) => copyIn(sql, "copy pears (id, is_ripe) from stdin", pieces));
const line = (text: string) => Buffer.from(`${text}\n`);

it("takes rows in pieces", async () => {
  await copy([line("1\tt"), line("2\tf"), Buffer.alloc(0)]);
  await copy([]);
  expect(await database.sql`select * from pears order by id`).toEqual([
    { id: 1, is_ripe: true },
    { id: 2, is_ripe: false },
  ]);
});

it.each([
  ["a value of another type", [line("3\t-1")]],
  ["a key that is there", [line("3\tt"), line("1\tt")]],
  ["a wrong row before many others", [line("x\tt"), ...Array.from({ length: 2000 }, (_, id) => line(`${id + 9}\tt`))]],
])("is refused for %s, and leaves nothing", async (_, pieces) => {
  await expect(copy(pieces)).rejects.toThrow();
  expect(await database.sql`select count(*)::int as count from pears`).toEqual([{ count: 2 }]);
});

it("ends with what its rows end with", async () => {
  async function* broken() {
    yield line("3\tt");
    throw new Error("the file ends here");
  }
  await expect(copy(broken())).rejects.toThrow("the file ends here");
  expect(await database.sql`select count(*)::int as count from pears`).toEqual([{ count: 2 }]);
});
