/** Uploads that messages link to no more: after an edit, or when messages are deleted. */
import type { Tx } from "../realm/transaction.ts";

/** An upload as clients know it. */
export interface AttachmentRecord {
  id: number;
  name: string;
  path_id: string;
  size: number;
  /** UNIX milliseconds */
  create_time: number;
  messages: { id: number; date_sent: number }[];
}

interface LinkedRow {
  id: number;
  owner_id: number;
  file_name: string;
  path_id: string;
  size: number;
  create_time: number;
  messages: { id: number; date_sent: number }[];
}

/** Paths of the uploads that a message links to. */
export async function linkedPaths(tx: Tx, messageId: number): Promise<Set<string>> {
  const rows = await tx.sql<{ path_id: string }[]>`
    select path_id from attachments where realm_id = ${tx.realmId} and message_ids @> array[${messageId}::bigint]`;
  return new Set(rows.map((row) => row.path_id));
}

/**
 * Takes messages off the uploads that they linked to, and tells the owners.
 *
 * @param keep paths that are still linked to
 * @returns uploads that no message links to any more
 */
export async function releaseAttachments(
  tx: Tx,
  messageIds: readonly number[],
  keep: readonly string[] = [],
): Promise<AttachmentRecord[]> {
  const list = `{${messageIds.join(",")}}`;
  const rows = await tx.sql.unsafe<LinkedRow[]>(
    `select a.id, a.owner_id, a.file_name, a.path_id, a.size, a.create_time,
       coalesce((select json_agg(json_build_object('id', m.id, 'date_sent', m.sent_at * 1000) order by m.id) from messages m
         where m.realm_id = a.realm_id and m.id = any(a.message_ids) and not m.id = any($2::text::bigint[])), '[]') as messages
     from attachments a
     where a.realm_id = $1 and a.message_ids && $2::text::bigint[] and not a.path_id = any($3::text[])
     order by a.id`,
    [tx.realmId, list, [...keep]],
  );
  if (rows.length === 0) return [];
  tx.write((sql) =>
    sql.unsafe(
      `update attachments set message_ids = array(select unnest(message_ids) except select unnest($2::text::bigint[]))
       where id = any($1::text::bigint[])`,
      [`{${rows.map((row) => row.id).join(",")}}`, list],
    ),
  );
  const used = await tx.sql<{ size: number | null }[]>`
    select sum(size)::bigint as size from attachments where realm_id = ${tx.realmId}`;
  const records = rows.map((row) => ({
    owner: row.owner_id,
    record: {
      id: row.id,
      name: row.file_name,
      path_id: row.path_id,
      size: row.size,
      create_time: row.create_time * 1000,
      messages: row.messages,
    },
  }));
  for (const { owner, record } of records) {
    tx.event(
      { type: "attachment", op: "update", upload_space_used: used[0]?.size ?? 0, attachment: record },
      { to: "users", ids: [owner] },
    );
  }
  return records.map(({ record }) => record).filter((record) => record.messages.length === 0);
}
