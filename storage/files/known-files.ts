/** What the database says of files: which there should be, and how large those are of which that is known. */
import type { RealmId } from "../ids.ts";
import type { Sql } from "../postgres.ts";
import { exportPath, type RealmExportRow } from "../transfer/realm-exports.ts";

interface KnownFile {
  path: string;
  /** Bytes; undefined where nobody wrote them down. */
  size: number | undefined;
}

const rowsAtOnce = 1000;

/** @param storedUpload where the bytes of an upload are */
export async function* knownFiles(
  sql: Sql,
  storedUpload: (pathId: string) => string,
): AsyncGenerator<KnownFile, void, void> {
  const uploads = sql<{ path_id: string; size: number }[]>`select path_id, size from attachments`;
  for await (const rows of uploads.cursor(rowsAtOnce))
    for (const { path_id, size } of rows) yield { path: storedUpload(path_id), size };
  const people = sql<{ path: string }[]>`
    select 'avatars/' || realm_id || '/' || avatar_path as path from users where avatar_path is not null`;
  const emoji = sql<{ path: string }[]>`select 'emoji/' || realm_id || '/' || file_name as path from realm_emoji`;
  const pictures = sql<{ path: string }[]>`
    select 'realm/' || id || '/' || value as path from realms, jsonb_each_text(settings)
    where key in ('icon_file', 'logo_file', 'night_logo_file')`;
  for (const named of [people, emoji, pictures])
    for await (const rows of named.cursor(rowsAtOnce)) for (const { path } of rows) yield { path, size: undefined };
  const exports = await sql<(RealmExportRow & { realm_id: RealmId })[]>`
    select * from realm_exports where state in ('done', 'pending')`;
  for (const row of exports) if (row.state === "done") yield { path: exportPath(row.realm_id, row), size: undefined };
}
