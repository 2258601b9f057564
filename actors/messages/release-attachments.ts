/** Uploads that messages link to no more: after an edit, or when messages are deleted. */
import {
  type AttachmentRecord,
  findAttachmentsIn,
  findUploadSpaceUsed,
  unlinkAttachments,
} from "../../storage/messages/attachments.ts";
import type { Tx } from "../realm/transaction.ts";

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
  const rows = await findAttachmentsIn(tx.sql, tx.realmId, messageIds, keep);
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  tx.write((sql) => unlinkAttachments(sql, ids, messageIds));
  const upload_space_used = await findUploadSpaceUsed(tx.sql, tx.realmId);
  for (const { owner_id, ...attachment } of rows) {
    tx.event({ type: "attachment", op: "update", upload_space_used, attachment }, { to: "users", ids: [owner_id] });
  }
  return rows.map(({ owner_id, ...record }) => record).filter((record) => record.messages.length === 0);
}
