/**
 * Uploads that come in parts: each belongs to one person and is kept for a day after its last part. Its size is counted
 * before it comes, so that those that are under way cannot pass a quota together.
 */
import { randomBytes } from "node:crypto";
import { BeingPutTogether, defined } from "../../storage/failures.ts";
import type { FileInParts, FileStore } from "../../storage/files/file-store.ts";
import {
  deleteUnfinishedUpload,
  findExpiredUploads,
  findRealmsWithExpiredUploads,
  findUnfinishedSize,
  findUnfinishedUpload,
  insertUnfinishedUpload,
  type UnfinishedUpload,
  updateUnfinishedUpload,
} from "../../storage/messages/unfinished-uploads.ts";
import type { UserRow } from "../../storage/rows.ts";
import { ApiError } from "../errors.ts";
import type { Job } from "../realm/job.ts";
import type { RealmReader } from "../realm/reader.ts";
import { checkUploadQuotas, findAttachmentByPath, type UploadQuotas } from "./attachments.ts";

const keptSecs = 86_400;
const sweepEverySecs = 300;
const retryAfterSecs = 60;
const mebibyte = 1024 * 1024;

/** One as the store of files knows it. */
export const inParts = (
  { id, path_id, size }: Pick<UnfinishedUpload, "id" | "path_id" | "size">,
  storedUpload: (pathId: string) => string,
): FileInParts => ({ id, path: storedUpload(path_id), size });

type Described = Pick<UnfinishedUpload, "file_name" | "content_type" | "size" | "metadata" | "path_id">;

/**
 * Begins an upload.
 *
 * @param mostBytes of one person's that are under way; whoever has none begins one of any size
 * @throws ACCOUNT_UPLOAD_QUOTA, REALM_UPLOAD_QUOTA, RATE_LIMIT_HIT
 */
export async function beginUpload(
  realm: RealmReader,
  user: UserRow,
  described: Described,
  quotas: UploadQuotas,
  mostBytes: number,
): Promise<UnfinishedUpload> {
  const now = realm.environment.clock();
  const { sql } = realm.database;
  const underWay = await findUnfinishedSize(sql, user.id, now);
  await checkUploadQuotas(realm, user, underWay + described.size, quotas);
  if (underWay > 0 && underWay + described.size > mostBytes)
    throw new ApiError(
      429,
      "RATE_LIMIT_HIT",
      `Too many of your uploads are under way: at most ${Math.floor(mostBytes / mebibyte)} MiB. Wait for others to end.`,
      { "retry-after": retryAfterSecs },
    );
  const id = randomBytes(18).toString("base64url");
  const row = { ...described, id, owner_id: user.id, is_attached: false, expires_at: now + keptSecs };
  await insertUnfinishedUpload(sql, realm.id, row);
  return row;
}

/** An upload of the person's, unless it has expired. It is kept for another day. */
export async function continueUpload(
  realm: RealmReader,
  user: UserRow,
  id: string,
): Promise<UnfinishedUpload | undefined> {
  const now = realm.environment.clock();
  const found = await findUnfinishedUpload(realm.database.sql, user.id, id, now);
  if (!found) return undefined;
  const kept = { ...found, expires_at: now + keptSecs };
  await updateUnfinishedUpload(realm.database.sql, kept);
  return kept;
}

/** Notes that all of it has come, and is an attachment. */
export function noteAttached({ database }: RealmReader, upload: UnfinishedUpload): Promise<void> {
  return updateUnfinishedUpload(database.sql, { ...upload, is_attached: true });
}

/** Removes an upload and what has come of it. What has become an attachment stays. */
export async function dropUpload(
  realm: RealmReader,
  files: FileStore,
  file: FileInParts,
  pathId: string,
): Promise<void> {
  // The file goes first: the row finds it again after a crash.
  await files.parts.drop(file);
  // All of it may have come, while its node ended before it was an attachment.
  if (!(await findAttachmentByPath(realm, pathId))) await files.remove(file.path);
  await deleteUnfinishedUpload(realm.database.sql, file.id);
}

/** Removes those that nobody has gone on with. */
export const expiredUploadsJob: Job = {
  name: "expired uploads",
  everySecs: sweepEverySecs,
  isOn: ({ storedFiles }) => storedFiles !== undefined,
  async run(realm, now) {
    const { files, storedUpload } = defined(realm.environment.storedFiles, "store of files");
    for (const upload of await findExpiredUploads(realm.database.sql, realm.id, now))
      await dropUpload(realm, files, inParts(upload, storedUpload), upload.path_id).catch((error: unknown) => {
        // Its turn comes again, and that of others now.
        if (!(error instanceof BeingPutTogether)) throw error;
      });
  },
  findWaiting: (sql, now) => findRealmsWithExpiredUploads(sql, now),
  onlyWaiting: true,
};
