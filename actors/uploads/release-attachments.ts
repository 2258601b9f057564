/** Uploads that messages no longer link to, after an edit or when messages are deleted. */
import type { MessageId } from "../../storage/ids.ts";
import { type AttachmentRecord, findAttachmentsIn, findUploadSpaceUsed } from "../../storage/messages/attachments.ts";
import type { Tx } from "../realm/transaction.ts";
import { stepUpload } from "./upload-machine.ts";
import { perform } from "./uploads.ts";

/**
 * Removes messages from the uploads that they linked to, and tells the owners.
 *
 * @param keep paths of uploads that stay linked
 * @returns uploads that no message links to any more
 */
export async function releaseAttachments(
  tx: Tx,
  messageIds: readonly MessageId[],
  keep: readonly string[] = [],
): Promise<AttachmentRecord[]> {
  const rows = await findAttachmentsIn(tx.sql, tx.realmId, messageIds, keep);
  if (rows.length === 0) return [];
  const changes = rows.map(({ owner_id, ...record }) => ({
    ownerId: owner_id,
    record,
    step: stepUpload("claimed", { type: "message.unlinked", isLast: record.messages.length === 0 }),
  }));
  perform(tx, changes, messageIds, await findUploadSpaceUsed(tx.sql, tx.realmId));
  return changes.filter(({ step }) => step.state === "unclaimed").map(({ record }) => record);
}
