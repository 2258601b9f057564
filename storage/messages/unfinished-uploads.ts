/** Uploads that come in parts. `storage/files/` has their bytes. */
import type { RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

export interface UnfinishedUpload {
  id: string;
  owner_id: UserId;
  file_name: string;
  /** As its client declared it. */
  content_type: string;
  size: number;
  /** What its client said of it, as in the header `Upload-Metadata`. */
  metadata: string;
  /** Its address when it is finished, as in `Attachment`. */
  path_id: string;
  /** Whether all of it has come, and it is an attachment. */
  is_attached: boolean;
  /** UNIX seconds */
  expires_at: number;
}

export async function insertUnfinishedUpload(sql: Sql, realmId: RealmId, row: UnfinishedUpload): Promise<void> {
  await sql`insert into unfinished_uploads ${sql({ ...row, realm_id: realmId })}`;
}

/** A person's upload that has not expired. */
export async function findUnfinishedUpload(
  sql: Sql,
  ownerId: UserId,
  id: string,
  now: number,
): Promise<UnfinishedUpload | undefined> {
  const rows = await sql<UnfinishedUpload[]>`
    select id, owner_id, file_name, content_type, size, metadata, path_id, is_attached, expires_at
    from unfinished_uploads where id = ${id} and owner_id = ${ownerId} and expires_at > ${now}`;
  return rows[0];
}

/** Bytes that a person's uploads will have that are not attached yet. */
export async function findUnfinishedSize(sql: Sql, ownerId: UserId, now: number): Promise<number> {
  const rows = await sql<{ size: number | null }[]>`
    select sum(size)::bigint as size from unfinished_uploads
    where owner_id = ${ownerId} and not is_attached and expires_at > ${now}`;
  return rows[0]?.size ?? 0;
}

export async function updateUnfinishedUpload(
  sql: Sql,
  { id, is_attached, expires_at }: Pick<UnfinishedUpload, "id" | "is_attached" | "expires_at">,
): Promise<void> {
  await sql`
    update unfinished_uploads set is_attached = ${is_attached}, expires_at = ${expires_at} where id = ${id}`;
}

export async function deleteUnfinishedUpload(sql: Sql, id: string): Promise<void> {
  await sql`delete from unfinished_uploads where id = ${id}`;
}

/** Those of an organization that have expired. */
export function findExpiredUploads(
  sql: Sql,
  realmId: RealmId,
  now: number,
): Promise<Pick<UnfinishedUpload, "id" | "path_id" | "size">[]> {
  return sql<Pick<UnfinishedUpload, "id" | "path_id" | "size">[]>`
    select id, path_id, size from unfinished_uploads where realm_id = ${realmId} and expires_at <= ${now}`;
}

export async function findRealmsWithExpiredUploads(sql: Sql, now: number): Promise<RealmId[]> {
  const rows = await sql<{ realm_id: RealmId }[]>`
    select distinct realm_id from unfinished_uploads where expires_at <= ${now}`;
  return rows.map(({ realm_id }) => realm_id);
}
