/** Uploaded files: who may read them, the messages that link to them, and how they come and go. */
import {
  type Attachment,
  type AttachmentRecord,
  deleteAttachment,
  findAttachment,
  findAttachmentsByPath,
  findSentTimes,
  findUploadSpaceUsed,
  insertAttachment,
  linkAttachments,
} from "../../storage/attachments.ts";
import type { Sql } from "../../storage/postgres.ts";
import type { UserRow } from "../../storage/rows.ts";
import { badRequest, notFound } from "../errors.ts";
import { accessMessages } from "./access-message.ts";
import { command } from "./command.ts";
import type { RealmState } from "./state.ts";
import type { Tx } from "./tx.ts";

/** Messages looked at, the newest, to find one that lets a person read a file. */
const maxMessagesAsked = 500;

/** Whoever uploaded the file may read it, and whoever may read a message that links to it. `user` undefined: a spectator. */
export async function canReadAttachment(
  state: RealmState,
  sql: Sql,
  user: UserRow | undefined,
  attachment: Attachment,
): Promise<boolean> {
  if (user?.id === attachment.owner_id) return true;
  const asked = attachment.message_ids.slice(-maxMessagesAsked);
  return (await accessMessages(state, sql, user, asked)).length > 0;
}

/**
 * A file that the person may read.
 *
 * @throws a 404, the same whether there is no such file or it may not be read
 */
export async function accessAttachment(
  state: RealmState,
  sql: Sql,
  user: UserRow | undefined,
  pathId: string,
): Promise<Attachment> {
  const [attachment] = await findAttachmentsByPath(sql, state.id, [pathId]);
  if (!attachment || !(await canReadAttachment(state, sql, user, attachment)))
    throw notFound("This file does not exist or has been deleted.");
  return attachment;
}

function recordOf(attachment: Attachment, messages: AttachmentRecord["messages"]): AttachmentRecord {
  return {
    id: attachment.id,
    name: attachment.file_name,
    path_id: attachment.path_id,
    size: attachment.size,
    create_time: attachment.create_time * 1000,
    messages,
  };
}

/** Notes that a message links to uploads which its sender may read: that makes them readable for its recipients. */
export async function claimAttachments(
  tx: Tx,
  sender: UserRow,
  messageId: number,
  pathIds: readonly string[],
): Promise<void> {
  const claimed: Attachment[] = [];
  for (const row of await findAttachmentsByPath(tx.sql, tx.realmId, pathIds)) {
    if (row.message_ids.includes(messageId)) continue;
    if (await canReadAttachment(tx.state, tx.sql, sender, row)) claimed.push(row);
  }
  if (claimed.length === 0) return;
  const ids = claimed.map((row) => row.id);
  tx.write((sql) => linkAttachments(sql, ids, messageId));
  const upload_space_used = await findUploadSpaceUsed(tx.sql, tx.realmId);
  for (const row of claimed) {
    const earlier = await findSentTimes(tx.sql, tx.realmId, row.message_ids);
    const sent = (await findSentTimes(tx.sql, tx.realmId, [messageId]))[0]?.date_sent ?? tx.now * 1000;
    const messages = [...earlier, { id: messageId, date_sent: sent }].sort((a, b) => a.id - b.id);
    tx.event(
      { type: "attachment", op: "update", upload_space_used, attachment: recordOf(row, messages) },
      { to: "users", ids: [row.owner_id] },
    );
  }
}

export interface AddAttachmentArgs {
  userId: number;
  fileName: string;
  pathId: string;
  size: number;
  contentType: string;
  accessKey: string;
}

/** Notes an upload whose bytes are stored. */
export const addAttachment = command(async (tx: Tx, args: AddAttachmentArgs) => {
  const user = tx.user(args.userId);
  const row = {
    id: await tx.id("object_ids"),
    owner_id: user.id,
    file_name: args.fileName,
    path_id: args.pathId,
    size: args.size,
    content_type: args.contentType,
    create_time: tx.now,
    access_key: args.accessKey,
  };
  const used = await findUploadSpaceUsed(tx.sql, tx.realmId);
  tx.write((sql) => insertAttachment(sql, tx.realmId, row));
  tx.event(
    {
      type: "attachment",
      op: "add",
      attachment: recordOf({ ...row, message_ids: [] }, []),
      upload_space_used: used + row.size,
    },
    { to: "users", ids: [user.id] },
  );
  return {};
});

/** Forgets an upload of the caller's. Replies with its path, so that the bytes can go. */
export const removeAttachment = command(async (tx: Tx, args: { userId: number; id: number }) => {
  const user = tx.user(args.userId);
  const row = await findAttachment(tx.sql, tx.realmId, args.id);
  if (row?.owner_id !== user.id) throw badRequest("Invalid attachment");
  const used = await findUploadSpaceUsed(tx.sql, tx.realmId);
  tx.write((sql) => deleteAttachment(sql, row.id));
  tx.event(
    { type: "attachment", op: "remove", attachment: { id: row.id }, upload_space_used: used - row.size },
    { to: "users", ids: [user.id] },
  );
  return { pathId: row.path_id };
});
