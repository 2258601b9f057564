import type { Sql } from "../postgres.ts";

/** Whether nodes serve the organization `r`: neither a move nor an import is still bringing it. A condition. */
export const isServed = (sql: Sql) => sql`
  not r.is_arriving and not exists (select from imports i where i.realm_id = r.id)`;
