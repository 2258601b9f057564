/**
 * Deleting files that nothing names any more: no message, no description, and no draft, scheduled message or snippet of
 * their owner's. The owner's clients are told as of any deletion. A legal hold keeps the bytes.
 */
import { defined } from "../../storage/failures.ts";
import type { AttachmentId } from "../../storage/ids.ts";
import { findUploadSpaceUsed } from "../../storage/messages/attachments.ts";
import { keepHeldFile } from "../../storage/messages/legal-holds.ts";
import { findUnusedFiles } from "../../storage/messages/retention.ts";
import { command } from "../realm/command.ts";
import type { RealmState } from "../realm/state/state.ts";
import type { Tx } from "../realm/transaction.ts";
import { deleteFiles } from "../uploads/deleted-files.ts";
import { stepUpload } from "../uploads/upload-machine.ts";
import { perform } from "../uploads/uploads.ts";
import { unusedFileExpiry } from "./policy.ts";

export interface ExpireFilesArgs {
  files: readonly {
    id: AttachmentId;
    /** Where its bytes are. Pictures made of it go with it. */
    stored: string;
  }[];
}

/** Deletes those of these files that have expired. */
export const expireFiles = command(async (tx: Tx, { files }: ExpireFilesArgs) => {
  const before = unusedFileExpiry(tx.state, tx.now);
  if (before === undefined) return {};
  const places = new Map(files.map(({ id, stored }) => [id, stored]));
  const found = await findUnusedFiles(tx.sql, tx.realmId, { before, among: [...places.keys()] });
  const texts = textsNamingFiles(tx.state);
  const unused = found.filter(({ is_named, path_id }) => !is_named && !texts.some((text) => text.includes(path_id)));
  let used = unused.length === 0 ? 0 : await findUploadSpaceUsed(tx.sql, tx.realmId);
  for (const { id, owner_id, path_id, size, create_time, file_name: name } of unused) {
    used -= size;
    const step = stepUpload("unclaimed", { type: "retention.over" });
    const record = { id, name, path_id, size, create_time, messages: [], message_ids: [] };
    perform(tx, [{ step, ownerId: owner_id, record }], [], used);
    const stored = [defined(places.get(id), "place of the file")];
    if (!(await keepHeldFile(tx.sql, tx.realmId, path_id, stored))) deleteFiles(tx, stored);
  }
  return {};
});

/** What the organization says of itself and its channels, as far as it names any file. */
function textsNamingFiles(state: RealmState): string[] {
  const texts = [...state.channels.values()].map(({ description }) => description);
  texts.push(state.setting("description"), state.setting("welcome_message_custom_text"));
  return texts.filter((text) => text.includes("/user_uploads/"));
}
