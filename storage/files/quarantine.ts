/** Uploads in quarantine, and when each is looked at next. Times are UNIX seconds. */
import { onlyRow } from "../failures.ts";
import type { AttachmentId, RealmId } from "../ids.ts";
import type { Attachment } from "../messages/attachments.ts";
import type { Sql } from "../postgres.ts";

export type DueScan = Pick<
  Attachment,
  "id" | "path_id" | "size" | "content_type" | "message_ids" | "quarantined_at"
> & {
  scan_attempts: number;
};

/** What is due in an organization, the newest first: old ones that fail again and again keep nobody waiting. */
export function findDueScans(sql: Sql, realmId: RealmId, now: number, limit: number): Promise<DueScan[]> {
  return sql<DueScan[]>`
    select id, path_id, size, content_type, message_ids, quarantined_at, scan_attempts from attachments
    where realm_id = ${realmId} and scan_at <= ${now} order by scan_at desc, id desc limit ${limit}`;
}

export async function findRealmsWithDueScans(sql: Sql, now: number): Promise<RealmId[]> {
  const rows = await sql<{ realm_id: RealmId }[]>`
    select distinct realm_id from attachments where scan_at <= ${now}`;
  return rows.map(({ realm_id }) => realm_id);
}

/** When anything is due next. Null: never, as things are. */
export async function nextScanAt(sql: Sql): Promise<number | null> {
  const rows = await sql<{ at: number | null }[]>`select min(scan_at) as at from attachments`;
  return onlyRow(rows).at;
}

/** Puts an upload into quarantine, unless it is there. */
export async function quarantineUpload(sql: Sql, realmId: RealmId, pathId: string, now: number): Promise<void> {
  await sql`
    update attachments set quarantined_at = ${now}, scan_at = ${now}
    where realm_id = ${realmId} and path_id = ${pathId} and quarantined_at is null`;
}

/** Notes an attempt in vain. */
export async function postponeScan(sql: Sql, id: AttachmentId, until: number): Promise<void> {
  await sql`
    update attachments set scan_at = ${until}, scan_attempts = scan_attempts + 1
    where id = ${id} and scan_at is not null`;
}

/** Lets everybody who may read a file have it. @param showAt when the messages that link to it are shown anew */
export async function releaseUpload(
  sql: Sql,
  id: AttachmentId,
  image: Attachment["image"],
  showAt: number | null,
): Promise<void> {
  await sql`
    update attachments
    set quarantined_at = null, scan_attempts = 0, scan_at = ${showAt},
        image = ${image === null ? null : sql.json(image)}
    where id = ${id}`;
}

/** Nothing more is due of a file. */
export async function endScan(sql: Sql, id: AttachmentId): Promise<void> {
  await sql`update attachments set scan_at = null, scan_attempts = 0 where id = ${id} and quarantined_at is null`;
}

export interface Quarantined {
  waiting: number;
  /** Since when the oldest waits. Null: nothing waits. */
  oldest: number | null;
}

export async function countQuarantined(sql: Sql): Promise<Quarantined> {
  const rows = await sql<Quarantined[]>`
    select count(*) as waiting, min(quarantined_at) as oldest from attachments
    where scan_at is not null and quarantined_at is not null`;
  return onlyRow(rows);
}

export type QuarantinedUpload = Pick<
  Attachment,
  "id" | "file_name" | "path_id" | "size" | "owner_id" | "image" | "message_ids" | "quarantined_at"
> & {
  scan_attempts: number;
  /** When it is looked at next. */
  scan_at: number | null;
};

/** What nobody has of an organization, the oldest first. */
export function findQuarantined(sql: Sql, realmId: RealmId, limit: number): Promise<QuarantinedUpload[]> {
  return sql<QuarantinedUpload[]>`
    select id, file_name, path_id, size, owner_id, image, message_ids, quarantined_at, scan_attempts, scan_at
    from attachments where realm_id = ${realmId} and scan_at is not null and quarantined_at is not null
    order by quarantined_at, id limit ${limit}`;
}
