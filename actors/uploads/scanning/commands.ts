/** What becomes of an upload that was looked at, and of the messages that link to it. */
import { releaseUpload } from "../../../storage/files/quarantine.ts";
import type { AttachmentId, MessageId } from "../../../storage/ids.ts";
import { findMessageAccess } from "../../../storage/messages/access.ts";
import {
  type Attachment,
  findAttachment,
  findMedia,
  findUploadSpaceUsed,
} from "../../../storage/messages/attachments.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { hasPreview } from "../../markdown/uploads.ts";
import { embedsIn, showRendering } from "../../messages/changes/link-previews.ts";
import { sendBotMessage, wordsOfBot } from "../../messages/changes/system-messages.ts";
import { renderMessage } from "../../organization/markdown-context.ts";
import { command } from "../../realm/command.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { deleteFiles } from "../deleted-files.ts";
import { stepUpload, uploadState } from "../upload-machine.ts";
import { perform } from "../uploads.ts";

/** A message that was rendered before a file was released is stored by then. */
const shownAfterSecs = 5;

/** Lets everybody who may read an upload have it. */
export const releaseScanned = command(
  async (tx: Tx, { id, image }: { id: AttachmentId; image: Attachment["image"] }) => {
    const row = await findAttachment(tx.sql, tx.realmId, id);
    if (!row || row.quarantined_at === null) return {};
    const isShown = hasPreview(row.path_id, { content_type: row.content_type, image });
    tx.write((sql) => releaseUpload(sql, id, image, isShown ? tx.now + shownAfterSecs : null));
    return {};
  },
);

/** Renders a message anew, unless it shows the file already. Whatever else it says stays. */
export const showScanned = command(async (tx: Tx, { messageId, pathId }: { messageId: MessageId; pathId: string }) => {
  const [message] = await findMessageAccess(tx.sql, tx.realmId, null, [messageId]);
  const sender = message && tx.state.users.get(message.sender_id);
  if (!message || !sender || shows(message.rendered_content, pathId)) return {};
  const { html } = await renderMessage(tx.state, sender, message.content, (paths) =>
    findMedia(tx.sql, tx.realmId, paths),
  );
  if (shows(html, pathId)) await showRendering(tx, message, html + embedsIn(message.rendered_content));
  return {};
});

/** Whether HTML has a picture, a film or sound of an upload. Its path has a part that no other one has. */
function shows(html: string, pathId: string): boolean {
  const own = `/${pathId.split("/").at(-2)}/`;
  return [...html.matchAll(/ src="([^"]*)"/g)].some(([, address]) => address?.includes(own));
}

export interface RemoveInfectedArgs {
  id: AttachmentId;
  /** What clamd calls it. */
  finding: string;
  /** Where its bytes are. */
  files: readonly string[];
}

/** Removes an infected upload, also one that a legal hold is on, and tells its owner. */
export const removeInfected = command(async (tx: Tx, { id, finding, files }: RemoveInfectedArgs) => {
  const row = await findAttachment(tx.sql, tx.realmId, id);
  if (!row || row.quarantined_at === null) return {};
  const { path_id, size, create_time, file_name: name, owner_id } = row;
  const step = stepUpload(uploadState(row), { type: "infection.found" });
  const record = { id, name, path_id, size, create_time, messages: [], message_ids: [] };
  const used = await findUploadSpaceUsed(tx.sql, tx.realmId);
  perform(tx, [{ step, ownerId: owner_id, record }], [], used - size);
  deleteFiles(tx, files);
  const words = plain(finding);
  tx.audit({ type: "user_upload_infected", userIds: [owner_id], after: { file_name: name, size, finding: words } });
  const told = toldOf(tx.state, owner_id);
  if (told)
    await sendBotMessage(
      tx,
      "notification",
      { userIds: [told.id] },
      wordsOfBot(tx.state, told).infected(plain(name), words),
    );
  return {};
});

/** Of a bot's file its owner is told. */
function toldOf({ users }: RealmState, ownerId: Attachment["owner_id"]): UserRow | undefined {
  const owner = users.get(ownerId);
  const told = owner?.is_bot && owner.bot_owner_id !== null ? users.get(owner.bot_owner_id) : owner;
  return told?.is_active && !told.is_bot ? told : undefined;
}

/** Within a code span nothing is a link, a mention or markup. */
const plain = (text: string): string => text.replace(/[`\p{Cc}\p{Cs}]/gu, "'");
