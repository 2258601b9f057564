/** Uploaded files and the messages that link to them. */
import type { UserRow } from "../../storage/rows.ts";
import type { Tx } from "./tx.ts";

interface AttachmentRow {
  id: number;
  file_name: string;
  path_id: string;
  size: number;
  create_time: number;
  message_ids: number[];
}

/** Notes that a message links to the sender's own uploads, which makes them readable for its recipients. */
export async function claimAttachments(
  tx: Tx,
  sender: UserRow,
  messageId: number,
  pathIds: readonly string[],
): Promise<void> {
  const rows = await tx.sql<AttachmentRow[]>`
    select id, file_name, path_id, size, create_time, message_ids from attachments
    where realm_id = ${tx.realmId} and owner_id = ${sender.id} and path_id = any(${pathIds as string[]})`;
  if (rows.length === 0) return;
  tx.write(
    (sql) => sql`
    update attachments set message_ids = message_ids || ${messageId}::bigint
    where id in ${sql(rows.map((row) => row.id))} and not ${messageId}::bigint = any(message_ids)`,
  );
  const used = await tx.sql<
    { size: number | null }[]
  >`select sum(size)::bigint as size from attachments where realm_id = ${tx.realmId}`;
  for (const row of rows) {
    const messages = [...row.message_ids, messageId].map((id) => ({ id, date_sent: tx.now }));
    tx.event(
      {
        type: "attachment",
        op: "update",
        upload_space_used: used[0]?.size ?? 0,
        attachment: {
          id: row.id,
          name: row.file_name,
          path_id: row.path_id,
          size: row.size,
          create_time: row.create_time * 1000,
          messages,
        },
      },
      { to: "users", ids: [sender.id] },
    );
  }
}
