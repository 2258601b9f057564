/** What a start refuses, and what it says. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { readConfig, warningsOf } from "../../../http/process/config.ts";
import { migrate } from "../../../storage/migrate.ts";
import { connect } from "../../../storage/postgres.ts";
import { createTestDatabase, type TestDatabase } from "../../support/server/postgres.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it("a variable that looks like a setting and is none is named", () => {
  const environment = {
    PARLEY_TRUSTED_PROXY: "1",
    PARLEY_ADMIN_TOKENS: "x",
    PARLEY_URL: "http://localhost",
    PATH: "/bin",
  };
  expect(warningsOf(readConfig(environment))).toEqual([
    "There are no such settings, so they have no effect: PARLEY_ADMIN_TOKENS, PARLEY_TRUSTED_PROXY.",
  ]);
  expect(warningsOf(readConfig({ PARLEY_OWNER_PASSWORD: "correct horse", PARLEY_IS_WORKER: "on" }))).toEqual([]);
});

it("a database that a newer program has changed is refused in one sentence, and left as it is", async () => {
  const pool = connect(database.url, { maxConnections: 3 });
  try {
    expect((await migrate(pool)).length).toBeGreaterThan(0);
    expect(await migrate(pool)).toEqual([]);
    await pool.sql`insert into migrations (name) values ('999_from_the_future.sql')`;
    await expect(migrate(pool)).rejects.toThrow(
      "A newer Parley has changed this database (999_from_the_future.sql): start that one, or restore an older backup.",
    );
    await pool.sql`delete from migrations where name = '999_from_the_future.sql'`;
    expect(await migrate(pool)).toEqual([]);
  } finally {
    await pool.close();
  }
});
