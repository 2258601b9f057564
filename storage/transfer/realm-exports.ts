/** Exports that were asked for, and where they are. */
import type { ExportId, RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

export interface RealmExportRow {
  id: ExportId;
  acting_user_id: UserId;
  type: string;
  /** UNIX seconds */
  requested_at: number;
  /** When it was done, failed or was deleted. */
  finished_at: number | null;
  state: "pending" | "done" | "failed" | "deleted";
  /** Those that were begun. */
  attempts: number;
  /** Its name, without the number of the attempt. */
  file: string;
}

const columns = "id, acting_user_id, type, requested_at, finished_at, state, attempts, file";

/** Where an export is among the stored files, once its last attempt is done. */
export const exportPath = (realmId: RealmId, { file, attempts }: Pick<RealmExportRow, "file" | "attempts">): string =>
  `exports/${realmId}/${file}-${attempts}.tar.gz`;

/** All of an organization, oldest first. */
export async function findExports(sql: Sql, realmId: RealmId): Promise<RealmExportRow[]> {
  // Unsafe: a part of the text is shared with other statements.
  return sql.unsafe<RealmExportRow[]>(`select ${columns} from realm_exports where realm_id = $1 order by id`, [
    realmId,
  ]);
}

/** Adds one, or replaces what its id holds. */
export async function putExport(sql: Sql, realmId: RealmId, row: RealmExportRow): Promise<void> {
  await sql`
    insert into realm_exports ${sql({ ...row, realm_id: realmId })}
    on conflict (id) do update set finished_at = excluded.finished_at, state = excluded.state, attempts = excluded.attempts`;
}

/** Ids of those that are still to be written, oldest first. */
export async function findPendingExports(sql: Sql, realmId: RealmId): Promise<ExportId[]> {
  const rows = await sql<{ id: ExportId }[]>`
    select id from realm_exports where realm_id = ${realmId} and state = 'pending' order by id`;
  return rows.map(({ id }) => id);
}

/** Organizations with exports that are still to be written. */
export async function findRealmsWithPendingExports(sql: Sql): Promise<RealmId[]> {
  const rows = await sql<{ realm_id: RealmId }[]>`select distinct realm_id from realm_exports where state = 'pending'`;
  return rows.map((row) => row.realm_id);
}
