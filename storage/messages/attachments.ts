/** Rows of uploaded files. `storage/files/` has their bytes. */
import type { AttachmentId, MessageId, RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";
import { idArray } from "./id-literals.ts";

/** What an uploaded picture shows, in pixels as people see it: turned as its EXIF says. */
export type Picture = {
  width: number;
  height: number;
  type: string;
  /** More than one: it moves. */
  frames: number;
  /** Format of a thumbnail that stands for it where a browser does not show it. */
  transcoded?: string;
};

export interface Attachment {
  id: AttachmentId;
  owner_id: UserId;
  file_name: string;
  /** Address below `/user_uploads/`: `<realm>/<random>/<name>`. */
  path_id: string;
  size: number;
  content_type: string;
  /** UNIX seconds */
  create_time: number;
  /** Signs the addresses that open the file for a minute without a login. */
  access_key: string;
  /** false: no picture. null: nobody has looked. */
  image: Picture | false | null;
  /** Messages that link to it, ascending; some may be deleted. */
  message_ids: MessageId[];
  /** Since when nobody has it, as it is not known to be clean: UNIX seconds. */
  quarantined_at: number | null;
}

/**
 * An attachment as on the wire, with the messages that link to it as `message_ids`, and in the form for older clients.
 * Times are UNIX seconds.
 */
export interface AttachmentRecord {
  id: AttachmentId;
  name: string;
  path_id: string;
  size: number;
  create_time: number;
  messages: { id: MessageId; date_sent: number }[];
  message_ids: MessageId[];
}

export async function insertAttachment(
  sql: Sql,
  realmId: RealmId,
  row: Omit<Attachment, "message_ids">,
): Promise<void> {
  const { image, ...plain } = row;
  const columns = {
    ...plain,
    realm_id: realmId,
    image: image === null ? null : sql.json(image),
    scan_at: row.quarantined_at,
  };
  await sql`insert into attachments ${sql(columns)}`;
}

/** What uploads are, for showing them in a message: none of those in quarantine. */
export async function findMedia(
  sql: Sql,
  realmId: RealmId,
  pathIds: readonly string[],
): Promise<Map<string, Pick<Attachment, "content_type" | "image">>> {
  const rows = await sql<Pick<Attachment, "path_id" | "content_type" | "image">[]>`
    select path_id, content_type, image from attachments
    where realm_id = ${realmId} and path_id = any(${pathIds}) and quarantined_at is null`;
  return new Map(rows.map((row) => [row.path_id, row]));
}

export async function findAttachment(sql: Sql, realmId: RealmId, id: AttachmentId): Promise<Attachment | undefined> {
  return (await sql<Attachment[]>`select * from attachments where realm_id = ${realmId} and id = ${id}`)[0];
}

export async function findAttachmentsByPath(
  sql: Sql,
  realmId: RealmId,
  pathIds: readonly string[],
): Promise<Attachment[]> {
  return sql<Attachment[]>`
    select * from attachments where realm_id = ${realmId} and path_id = any(${pathIds}) order by id`;
}

/** What a person uploaded, newest first, with the messages that still exist. */
export async function findAttachmentsOf(sql: Sql, realmId: RealmId, userId: UserId): Promise<AttachmentRecord[]> {
  return sql<AttachmentRecord[]>`
    select a.id, a.file_name as name, a.path_id, a.size, a.create_time,
           coalesce(used.messages, '[]'::json) as messages, coalesce(used.ids, '[]'::json) as message_ids
    from attachments a cross join lateral (
      select json_agg(json_build_object('id', m.id, 'date_sent', m.sent_at) order by m.id) as messages,
             json_agg(m.id order by m.id) as ids
      from messages m where m.realm_id = a.realm_id and m.id = any(a.message_ids)) used
    where a.realm_id = ${realmId} and a.owner_id = ${userId} order by a.id desc`;
}

/** When the messages among `ids` that still exist were sent, ascending by id, in UNIX seconds. */
export async function findSentTimes(
  sql: Sql,
  realmId: RealmId,
  ids: readonly MessageId[],
): Promise<{ id: MessageId; date_sent: number }[]> {
  if (ids.length === 0) return [];
  return sql<{ id: MessageId; date_sent: number }[]>`
    select id, sent_at as date_sent from messages
    where realm_id = ${realmId} and id in (select unnest(${`{${ids.join(",")}}`}::text::bigint[])) order by id`;
}

/** Bytes of all uploads of one account. */
export async function findUploadSpaceUsedBy(sql: Sql, userId: UserId): Promise<number> {
  const rows = await sql<{ size: number | null }[]>`
    select sum(size)::bigint as size from attachments where owner_id = ${userId}`;
  return rows[0]?.size ?? 0;
}

/** Bytes of all uploads of the organization. */
export async function findUploadSpaceUsed(sql: Sql, realmId: RealmId): Promise<number> {
  const rows = await sql<{ size: number | null }[]>`
    select sum(size)::bigint as size from attachments where realm_id = ${realmId}`;
  return rows[0]?.size ?? 0;
}

export async function linkAttachments(sql: Sql, ids: readonly AttachmentId[], messageId: MessageId): Promise<void> {
  await sql`
    update attachments set message_ids = message_ids || ${messageId}::bigint
    where id in (select unnest(${`{${ids.join(",")}}`}::text::bigint[])) and not ${messageId}::bigint = any(message_ids)`;
}

/** Paths of the uploads that a message links to. */
export async function findLinkedPaths(sql: Sql, realmId: RealmId, messageId: MessageId): Promise<Set<string>> {
  const rows = await sql<{ path_id: string }[]>`
    select path_id from attachments where realm_id = ${realmId} and message_ids @> array[${messageId}::bigint]`;
  return new Set(rows.map((row) => row.path_id));
}

/**
 * Uploads that any of these messages links to, without those at the paths `keep`, by id. Each has the other existing
 * messages that link to it.
 */
export async function findAttachmentsIn(
  sql: Sql,
  realmId: RealmId,
  messageIds: readonly MessageId[],
  keep: readonly string[],
): Promise<(AttachmentRecord & { owner_id: UserId })[]> {
  const list = `{${messageIds.join(",")}}`;
  return sql<(AttachmentRecord & { owner_id: UserId })[]>`
    select a.id, a.owner_id, a.file_name as name, a.path_id, a.size, a.create_time,
           coalesce(used.messages, '[]'::json) as messages, coalesce(used.ids, '[]'::json) as message_ids
    from attachments a cross join lateral (
      select json_agg(json_build_object('id', m.id, 'date_sent', m.sent_at) order by m.id) as messages,
             json_agg(m.id order by m.id) as ids
      from messages m
      where m.realm_id = a.realm_id and m.id = any(a.message_ids) and not m.id = any(${list}::text::bigint[])) used
    where a.realm_id = ${realmId} and a.message_ids && ${list}::text::bigint[] and not a.path_id = any(${keep})
    order by a.id`;
}

/** Removes messages from the uploads that they linked to. Retention counts from when the last one let go. */
export async function unlinkAttachments(
  sql: Sql,
  ids: readonly AttachmentId[],
  messageIds: readonly MessageId[],
  now: number,
): Promise<void> {
  await sql`
    update attachments
    set message_ids = array(select unnest(message_ids) except select unnest(${idArray(messageIds)}::text::bigint[])),
        unlinked_at = ${now}
    where id = any(${idArray(ids)}::text::bigint[])`;
}

export async function deleteAttachment(sql: Sql, id: AttachmentId): Promise<void> {
  await sql`delete from attachments where id = ${id}`;
}
