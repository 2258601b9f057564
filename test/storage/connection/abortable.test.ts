/** What ends with whoever asked PostgreSQL, and what does not. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { AbortableDatabase } from "../../../storage/abortable.ts";
import { connect, type Database, StatementEnded, translate } from "../../../storage/postgres.ts";
import { createTestDatabase, type TestDatabase } from "../../support/server/postgres.ts";

let testDatabase: TestDatabase;
/** All share its connection, which is open. */
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = connect(testDatabase.url, { maxConnections: 1 });
  await database.sql`select 1`;
});
afterAll(async () => {
  await database?.close();
  await testDatabase?.drop();
});

const outcomeOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => "done",
    (error: unknown) => translate(error),
  );
const sent = () => new Promise((resolve) => setImmediate(resolve));

it("a statement that takes long ends, and nothing is asked after", async () => {
  const own = new AbortableDatabase(database);
  const long = outcomeOf(own.sql`select pg_sleep(600)`);
  await sent();
  own.abort();
  expect(await long).toBeInstanceOf(StatementEnded);
  expect(() => own.sql`select 1`).toThrow(StatementEnded);
});

it("what somebody else asks on the same connection goes on", async () => {
  for (let round = 0; round < 20; round++) {
    const own = new AbortableDatabase(database);
    const short = outcomeOf(own.sql`select 1`);
    await sent();
    own.abort();
    const others = outcomeOf(database.sql`select pg_sleep(0.02)`);
    await short;
    expect(await others).toBe("done");
  }
});

it("a connection that is being opened is there for others", async () => {
  const other = connect(testDatabase.url, { maxConnections: 1 });
  try {
    const own = new AbortableDatabase(other);
    const first = outcomeOf(own.sql`select 1`);
    own.abort();
    expect(await outcomeOf(other.sql`select 1`)).toBe("done");
    await first;
  } finally {
    await other.close();
  }
});
