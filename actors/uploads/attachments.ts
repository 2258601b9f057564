/** Uploads: who may read them, the messages that link to them, adding and removing them. */
import { defined } from "../../storage/failures.ts";
import { quarantineUpload } from "../../storage/files/quarantine.ts";
import type { AttachmentId, MessageId, RealmId, UserId } from "../../storage/ids.ts";
import {
  type Attachment,
  type AttachmentRecord,
  findAttachment,
  findAttachmentsByPath,
  findAttachmentsOf,
  findSentTimes,
  findUploadSpaceUsed,
  findUploadSpaceUsedBy,
  insertAttachment,
} from "../../storage/messages/attachments.ts";
import { keepHeldFile } from "../../storage/messages/legal-holds.ts";
import type { Sql } from "../../storage/postgres.ts";
import type { UserRow } from "../../storage/rows.ts";
import { errors, notFound } from "../errors.ts";
import { granted } from "../lifecycle.ts";
import { accessMessages } from "../messages/access.ts";
import { command } from "../realm/command.ts";
import type { RealmReader } from "../realm/reader.ts";
import type { RealmState } from "../realm/state/state.ts";
import type { Tx } from "../realm/transaction.ts";
import { deleteFiles } from "./deleted-files.ts";
import { stepUpload, uploadRefusals, uploadState } from "./upload-machine.ts";
import { perform } from "./uploads.ts";

/** Messages that are checked, newest first, for one that lets a person read a file. */
const maxMessagesAsked = 500;

/**
 * Those of these files that the person may read: their own uploads, and files linked from messages that they may read.
 * One query. `user` is undefined for a spectator.
 */
async function readableAttachments(
  state: RealmState,
  sql: Sql,
  user: UserRow | undefined,
  attachments: readonly Attachment[],
): Promise<Attachment[]> {
  const newest = (row: Attachment) => row.message_ids.slice(-maxMessagesAsked);
  const others = attachments.filter((row) => row.owner_id !== user?.id);
  const asked = [...new Set(others.flatMap(newest))];
  const readable = new Set((await accessMessages(state, sql, user, asked)).map(({ id }) => id));
  return attachments.filter((row) => row.owner_id === user?.id || newest(row).some((id) => readable.has(id)));
}

/**
 * A file that the person may read.
 *
 * @throws a 404, the same for a missing file and for one that they may not read
 */
export async function accessAttachment(
  realm: RealmReader,
  user: UserRow | undefined,
  pathId: string,
): Promise<Attachment> {
  const { state, database } = realm;
  const found = await findAttachmentByPath(realm, pathId);
  const [attachment] = await readableAttachments(state, database.sql, user, found ? [found] : []);
  if (!attachment) throw notFound("This file does not exist or has been deleted.");
  return attachment;
}

/** Those of the files at these paths that the person may read. `user` is undefined for a spectator. */
export async function findReadableUploads(
  { id, state, database }: RealmReader,
  user: UserRow | undefined,
  pathIds: readonly string[],
): Promise<Attachment[]> {
  const found = await findAttachmentsByPath(database.sql, id, pathIds);
  return readableAttachments(state, database.sql, user, found);
}

/** A file, without checking access: the caller has proved that somebody with access gave its address away. */
export async function findAttachmentByPath(
  { id, database }: RealmReader,
  pathId: string,
): Promise<Attachment | undefined> {
  return (await findAttachmentsByPath(database.sql, id, [pathId]))[0];
}

/** A person's uploads, newest first, and the total size of all uploads. */
export async function readUploads({ id, database: { sql } }: RealmReader, user: UserRow) {
  const attachments = await findAttachmentsOf(sql, id, user.id);
  return { attachments, upload_space_used: await findUploadSpaceUsed(sql, id) };
}

function recordOf(attachment: Attachment, messages: AttachmentRecord["messages"]): AttachmentRecord {
  return {
    id: attachment.id,
    name: attachment.file_name,
    path_id: attachment.path_id,
    size: attachment.size,
    create_time: attachment.create_time,
    messages,
    message_ids: messages.map(({ id }) => id),
  };
}

/** Records a message's links to uploads that its sender may read. The recipients may read those from now on. */
export async function claimAttachments(
  tx: Tx,
  sender: UserRow,
  messageId: MessageId,
  pathIds: readonly string[],
): Promise<void> {
  const found = await findAttachmentsByPath(tx.sql, tx.realmId, pathIds);
  const fresh = found.filter((row) => !row.message_ids.includes(messageId));
  const readable = await readableAttachments(tx.state, tx.sql, sender, fresh);
  const claimed = fresh
    .map((row) => {
      const event = { type: "message.linked", maySenderRead: readable.includes(row) } as const;
      return { row, step: stepUpload(uploadState(row), event) };
    })
    .filter(({ step }) => step.actions.length > 0);
  if (claimed.length === 0) return;
  const upload_space_used = await findUploadSpaceUsed(tx.sql, tx.realmId);
  const linked = [...new Set([...claimed.flatMap(({ row }) => row.message_ids), messageId])];
  const sent = new Map(
    (await findSentTimes(tx.sql, tx.realmId, linked)).map(({ id, date_sent }) => [id, date_sent] as const),
  );
  // A message that is being sent has no row yet.
  if (!sent.has(messageId)) sent.set(messageId, tx.now);
  const changes = claimed.map(({ row, step }) => {
    const messages = [...row.message_ids, messageId]
      .filter((id) => sent.has(id))
      .sort((a, b) => a - b)
      .map((id) => ({ id, date_sent: defined(sent.get(id), "message of that id") }));
    return { step, ownerId: row.owner_id, record: recordOf(row, messages) };
  });
  perform(tx, changes, [messageId], upload_space_used);
}

/** Quotas in MiB; 0 for no limit. */
export interface UploadQuotas {
  account: number;
  realm: number;
}

const mebibyte = 1024 * 1024;

/** @throws ACCOUNT_UPLOAD_QUOTA, REALM_UPLOAD_QUOTA when an upload of this size exceeds a quota */
export function checkUploadQuotas(
  { id, database }: RealmReader,
  user: UserRow,
  size: number,
  quotas: UploadQuotas,
): Promise<void> {
  return checkQuotas(database.sql, id, user.id, size, quotas);
}

async function checkQuotas(
  sql: Sql,
  realmId: RealmId,
  userId: UserId,
  size: number,
  quotas: UploadQuotas,
): Promise<void> {
  const used = quotas.account > 0 ? await findUploadSpaceUsedBy(sql, userId) : 0;
  if (quotas.account > 0 && used + size > quotas.account * mebibyte)
    throw errors.ACCOUNT_UPLOAD_QUOTA({ used_mib: Math.ceil(used / mebibyte), quota_mib: quotas.account });
  if (quotas.realm > 0 && (await findUploadSpaceUsed(sql, realmId)) + size > quotas.realm * mebibyte)
    throw errors.REALM_UPLOAD_QUOTA({ quota_mib: quotas.realm });
}

export interface AddAttachmentArgs {
  userId: UserId;
  fileName: string;
  pathId: string;
  size: number;
  contentType: string;
  accessKey: string;
  image: Attachment["image"];
  quotas: UploadQuotas;
  /** Nobody has it until it is known to be clean. */
  isQuarantined?: boolean;
}

/** Adds an upload. Its bytes are stored already. */
export const addAttachment = command(async (tx: Tx, args: AddAttachmentArgs) => {
  const user = tx.user(args.userId);
  const [known] = await findAttachmentsByPath(tx.sql, tx.realmId, [args.pathId]);
  // Two nodes may have found the same upload whole.
  if (known) return { isQuarantined: known.quarantined_at !== null };
  await checkQuotas(tx.sql, tx.realmId, user.id, args.size, args.quotas);
  const row = {
    id: await tx.id("object_ids"),
    owner_id: user.id,
    file_name: args.fileName,
    path_id: args.pathId,
    size: args.size,
    content_type: args.contentType,
    create_time: tx.now,
    access_key: args.accessKey,
    image: args.image,
    quarantined_at: args.isQuarantined ? tx.now : null,
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
  return { isQuarantined: row.quarantined_at !== null };
});

/** Keeps an upload from everybody until it is known to be clean, where the command that added it did not. */
export function quarantine({ id, database, environment }: RealmReader, pathId: string): Promise<void> {
  return quarantineUpload(database.sql, id, pathId, environment.clock());
}

/** An upload by its id, without checking access. */
export function findAttachmentById(
  { id, database }: RealmReader,
  attachmentId: AttachmentId,
): Promise<Attachment | undefined> {
  return findAttachment(database.sql, id, attachmentId);
}

export interface RemoveAttachmentArgs {
  userId: UserId;
  id: AttachmentId;
  /** Where its bytes and thumbnails are; an older node does not say. */
  files?: readonly string[];
}

/** Removes an upload of the caller's. Replies whether a legal hold is on it: else its bytes can be deleted. */
export const removeAttachment = command(async (tx: Tx, args: RemoveAttachmentArgs) => {
  const user = tx.user(args.userId);
  const row = await findAttachment(tx.sql, tx.realmId, args.id);
  const step = stepUpload(uploadState(row), { type: "deletion.asked", byOwner: row?.owner_id === user.id });
  granted(step, (refusal) => uploadRefusals[refusal]());
  const upload = defined(row, "such upload");
  const used = await findUploadSpaceUsed(tx.sql, tx.realmId);
  perform(tx, [{ step, ownerId: user.id, record: recordOf(upload, []) }], [], used - upload.size);
  const isHeld = await keepHeldFile(tx.sql, tx.realmId, upload.path_id, args.files ?? []);
  if (!isHeld) deleteFiles(tx, args.files ?? []);
  return { pathId: upload.path_id, image: upload.image, isHeld };
});
