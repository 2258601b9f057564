import type { Sql } from "./postgres.ts";

/** Any number that no other program uses in this database. */
const advisoryLock = 7_275_539_913;

/** Makes nodes that find the database empty at the same time wait for each other, until their transactions end. */
export async function lockFirstStart(sql: Sql): Promise<void> {
  await sql`select pg_advisory_xact_lock(${advisoryLock}::bigint)`;
}
