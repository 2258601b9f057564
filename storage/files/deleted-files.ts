/** The list of files that are to be removed. */
import type { RealmId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

/** @param now UNIX seconds */
export async function noteDeletedFiles(
  sql: Sql,
  realmId: RealmId,
  paths: readonly string[],
  now: number,
): Promise<void> {
  const rows = paths.map((path) => ({ path, realm_id: realmId, deleted_at: now }));
  if (rows.length > 0) await sql`insert into deleted_files ${sql(rows)} on conflict (path) do nothing`;
}

/** Those of an organization that were deleted before, some at a time. @param before UNIX seconds */
export async function findDeletedFiles(sql: Sql, realmId: RealmId, before: number): Promise<string[]> {
  const rows = await sql<{ path: string }[]>`
    select path from deleted_files where realm_id = ${realmId} and deleted_at < ${before} limit 1000`;
  return rows.map(({ path }) => path);
}

export async function findRealmsWithDeletedFiles(sql: Sql, before: number): Promise<RealmId[]> {
  const rows = await sql<{ realm_id: RealmId }[]>`
    select distinct realm_id from deleted_files where deleted_at < ${before}`;
  return rows.map(({ realm_id }) => realm_id);
}

export async function forgetDeletedFile(sql: Sql, path: string): Promise<void> {
  await sql`delete from deleted_files where path = ${path}`;
}
