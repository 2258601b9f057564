/** Performs the actions of `upload-machine.ts`, for all files that one event is about. */
import type { MessageId, UserId } from "../../storage/ids.ts";
import {
  type AttachmentRecord,
  deleteAttachment,
  linkAttachments,
  unlinkAttachments,
} from "../../storage/messages/attachments.ts";
import type { Tx } from "../realm/transaction.ts";
import type { UploadStep } from "./upload-machine.ts";

export interface UploadChange {
  step: UploadStep;
  ownerId: UserId;
  /** As its owner sees it afterwards. */
  record: AttachmentRecord;
}

/**
 * @param changes the steps of one event, of any files
 * @param messageIds the messages that now link to the files, or no longer do
 * @param upload_space_used bytes of all uploads of the organization afterwards
 */
export function perform(
  tx: Tx,
  changes: readonly UploadChange[],
  messageIds: readonly MessageId[],
  upload_space_used: number,
): void {
  for (const action of new Set(changes.flatMap(({ step }) => step.actions))) {
    const concerned = changes.filter(({ step }) => step.actions.includes(action));
    const ids = concerned.map(({ record }) => record.id);
    const tell = (eventOf: (record: AttachmentRecord) => Parameters<Tx["event"]>[0]) => {
      for (const { ownerId, record } of concerned) tx.event(eventOf(record), { to: "users", ids: [ownerId] });
    };
    switch (action) {
      case "link":
        for (const messageId of messageIds) tx.write((sql) => linkAttachments(sql, ids, messageId));
        break;
      case "unlink":
        tx.write((sql) => unlinkAttachments(sql, ids, messageIds, tx.now));
        break;
      case "show":
        tell((attachment) => ({ type: "attachment", op: "update", upload_space_used, attachment }));
        break;
      case "remove":
        for (const id of ids) tx.write((sql) => deleteAttachment(sql, id));
        tell(({ id }) => ({ type: "attachment", op: "remove", attachment: { id }, upload_space_used }));
        break;
      default:
        action satisfies never;
    }
  }
}
