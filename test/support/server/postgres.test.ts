import postgres from "postgres";
import { expect, it } from "vitest";
import { createTestDatabase } from "./postgres.ts";

/** Runs one statement on a connection of its own. */
async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return [...(await sql.unsafe(statement))];
  } finally {
    await sql.end({ timeout: 1 });
  }
}

it("each test database is empty and apart from the others, unless it copies one", async () => {
  const first = await createTestDatabase();
  await query(first.url, "CREATE TABLE mine AS SELECT 1 AS one");
  const copy = await createTestDatabase(first.url);
  const second = await createTestDatabase();
  expect(await query(copy.url, "SELECT one FROM mine")).toEqual([{ one: 1 }]);
  await expect(query(second.url, "SELECT one FROM mine")).rejects.toThrow(/does not exist/);

  const open = postgres(first.url, { max: 1, onnotice: () => {} });
  await open`SELECT 1`;
  await Promise.all([first.drop(), second.drop(), copy.drop()]);
  await open.end({ timeout: 1 });
  await expect(query(first.url, "SELECT 1")).rejects.toThrow(/does not exist/);
  await first.drop();
});
