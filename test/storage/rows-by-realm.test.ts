/** Of thousands of realms in one database each is loaded without reading the rows of the others. */
import { expect, it } from "vitest";
import { migrate } from "../../storage/migrate.ts";
import { connect } from "../../storage/postgres.ts";
import { stateTables } from "../../storage/tables.ts";
import { createTestDatabase } from "../support/server/postgres.ts";

it("every table of a replica has an index that begins with the realm", async () => {
  const made = await createTestDatabase();
  const database = connect(made.url, { maxConnections: 2 });
  try {
    await migrate(database);
    const rows = await database.sql<{ name: string }[]>`
      select distinct i.indrelid::regclass::text as name from pg_index i
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
      where a.attname = 'realm_id' and i.indpred is null`;
    const indexed = new Set(["realms", ...rows.map(({ name }) => name)]);
    expect(stateTables.filter((table) => !indexed.has(table))).toEqual([]);
  } finally {
    await database.close();
    await made.drop();
  }
});
