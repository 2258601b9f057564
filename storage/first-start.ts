import type { Sql } from "./postgres.ts";

/** Any number that no other program takes in this database. */
const advisoryLock = 7_275_539_913;

/** Has nodes that find the database empty at once go one after the other, each until its transaction ends. */
export async function lockFirstStart(sql: Sql): Promise<void> {
  await sql`select pg_advisory_xact_lock(${advisoryLock}::bigint)`;
}
