/**
 * Compliance exports: messages as they are stored, in the order of their ids. Each says who wrote it to whom, how it
 * was edited and when it was deleted, and has the SHA-256 of its files. One part is bounded. The next one goes on after
 * the last message's id, so an export that was cut goes on where it was. Each part is in the audit log.
 */
import { createHash } from "node:crypto";
import type { OpenedFile } from "../../storage/files/file-store.ts";
import type { ChannelId, HoldId, MessageId, UserId } from "../../storage/ids.ts";
import {
  type ExportedFile,
  type ExportedMessage,
  findExportedFiles,
  findExportedMessages,
} from "../../storage/messages/legal-holds.ts";
import { uploadPathId } from "../markdown/uploads.ts";
import type { ServedRealm } from "../realm/served.ts";
import type { RealmState } from "../realm/state/state.ts";

/** Messages of one part at most. */
export const maxExportMessages = 500;
/** Bytes of files that one part reads; the first message's are always read. */
const maxFileBytes = 64 * 1024 * 1024;
const pieceBytes = 256 * 1024;

/** Opens the bytes of an upload. Undefined: there are none. */
export type OpenUpload = (pathId: string) => Promise<OpenedFile | undefined>;

/** Keeps the bytes of a file while they are read for their hash. */
export interface FileCopy {
  write(piece: Uint8Array): Promise<void>;
  /** All of it was written. */
  done(sha256: string): Promise<void>;
  /** It could not be read to its end. */
  dropped(): Promise<void>;
}

interface Party {
  id: UserId;
  email: string | null;
  full_name: string;
}

/** A file of a message. `sha256` is null where its bytes are gone: it was deleted before there was a hold. */
export interface ExportedAttachment extends ExportedFile {
  sha256: string | null;
}

/** A line of the export. Times are UNIX seconds. */
export interface ComplianceRecord {
  id: MessageId;
  sender: Party;
  /** Null in a direct conversation. */
  channel: { id: ChannelId; name: string } | null;
  /** Everybody in a direct conversation; null in a channel. */
  recipients: Party[] | null;
  topic: string;
  content: string;
  date_sent: number;
  /** Newest first, in the form of the API. */
  edit_history: unknown[];
  last_edit_timestamp: number | null;
  date_deleted: number | null;
  attachments: ExportedAttachment[];
}

export interface ExportPart {
  records: ComplianceRecord[];
  /** Where the next part begins. */
  position: MessageId;
  /** There is nothing after it. */
  isComplete: boolean;
}

/** One part of an export, which is in the audit log when this returns. */
export async function readCompliancePart(
  realm: ServedRealm,
  open: OpenUpload,
  { holdId, after, limit, how }: { holdId?: HoldId | undefined; after: MessageId; limit: number; how: string },
  copyFile?: () => Promise<FileCopy>,
): Promise<ExportPart> {
  const { id, state, database } = realm;
  const found = await findExportedMessages(database.sql, id, { holdId, after, limit });
  const paths = found.flatMap(pathsIn);
  const files = paths.length === 0 ? [] : await findExportedFiles(database.sql, id, paths);
  const records: ComplianceRecord[] = [];
  let bytes = 0;
  for (const one of found) {
    const linked = new Set(pathsIn(one));
    const known = linked.size === 0 ? [] : files.filter(({ path_id }) => linked.has(path_id));
    bytes += known.reduce((sum, { size }) => sum + size, 0);
    if (records.length > 0 && bytes > maxFileBytes) break;
    const attachments: ExportedAttachment[] = [];
    for (const file of known) attachments.push({ ...file, sha256: await hashOf(open, file.path_id, copyFile) });
    records.push(recordOf(state, one, attachments));
  }
  const position = records.at(-1)?.id ?? after;
  const fact = {
    type: "realm_compliance_exported",
    after: { hold_id: holdId ?? null, after, position, messages: records.length, how },
  } as const;
  await realm.execute("recordAudit", { fact });
  return { records, position, isComplete: records.length === found.length && found.length < limit };
}

/** A file that a message of an export names, by its path. Undefined: it names none such. It is in the audit log. */
export async function findComplianceFile(
  realm: ServedRealm,
  { messageId, pathId }: { messageId: MessageId; pathId: string },
): Promise<ExportedFile | undefined> {
  const { id, database } = realm;
  const after: MessageId = messageId - 1;
  const [found] = await findExportedMessages(database.sql, id, { after, limit: 1 });
  if (found?.id !== messageId || !pathsIn(found).includes(pathId)) return undefined;
  const [file] = await findExportedFiles(database.sql, id, [pathId]);
  if (!file) return undefined;
  const fact = {
    type: "realm_compliance_exported",
    after: { hold_id: null, after, position: messageId, messages: 0, how: "file", path_id: pathId },
  } as const;
  await realm.execute("recordAudit", { fact });
  return file;
}

function recordOf(
  state: RealmState,
  { id, message, user_ids, deleted_at }: ExportedMessage,
  attachments: ExportedAttachment[],
): ComplianceRecord {
  const party = (userId: UserId): Party => {
    const user = state.users.get(userId);
    return { id: userId, email: user?.delivery_email ?? null, full_name: user?.full_name ?? "" };
  };
  const channel = message.channel_id === null ? undefined : state.channels.get(message.channel_id);
  return {
    id,
    sender: party(message.sender_id),
    channel: message.channel_id === null ? null : { id: message.channel_id, name: channel?.name ?? "" },
    recipients: user_ids === null ? null : user_ids.map(party),
    topic: message.topic,
    content: message.content,
    date_sent: message.sent_at,
    edit_history: message.edit_history ?? [],
    last_edit_timestamp: message.last_edit_at,
    date_deleted: deleted_at,
    attachments,
  };
}

/** Uploads that a message links to, or did before it was edited. */
function pathsIn({ message }: ExportedMessage): string[] {
  const texts = [message.content, JSON.stringify(message.edit_history ?? [])];
  const links = texts.flatMap((text) => text.match(/\/user_uploads\/[^\s"'<>)\]\\]+/g) ?? []);
  return [...new Set(links.flatMap((link) => uploadPathId(link) ?? []))];
}

/** In hexadecimal; null: there is no such file. Its bytes go into the copy on the way. */
async function hashOf(open: OpenUpload, pathId: string, copyFile?: () => Promise<FileCopy>): Promise<string | null> {
  const opened = await open(pathId);
  if (!opened) return null;
  const copy = await copyFile?.();
  const hash = createHash("sha256");
  const buffer = new Uint8Array(pieceBytes);
  try {
    for (let offset = 0; offset < opened.size; ) {
      const read = await opened.read(offset, buffer);
      if (read === 0) break;
      const piece = buffer.subarray(0, read);
      hash.update(piece);
      await copy?.write(piece);
      offset += read;
    }
  } catch (error) {
    await copy?.dropped();
    throw error;
  }
  const sha256 = hash.digest("hex");
  await copy?.done(sha256);
  return sha256;
}
