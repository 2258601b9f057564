/** Another log in place of the one that nodes know: what they know of it is not what PostgreSQL has. */
import type { Sql } from "../../../storage/postgres.ts";

/**
 * Each entry says the same in other words, which no replica was made of. So one that is set aside is loaded anew, and
 * its queues have to come back.
 */
export async function writeLogAnew(sql: Sql): Promise<void> {
  await sql`update realm_log set entry = (entry::text || ' ')::json`;
}
