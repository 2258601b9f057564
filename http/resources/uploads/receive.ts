/** Uploads that are stored while they come in, and become attachments when all of them is there. */
import { randomBytes } from "node:crypto";
import { badRequest } from "../../../actors/errors.ts";
import type { ServedRealm } from "../../../actors/realm/served.ts";
import {
  checkUploadQuotas,
  findAttachmentById,
  findAttachmentByPath,
  quarantine,
} from "../../../actors/uploads/attachments.ts";
import type { AttachmentId, UserId } from "../../../storage/ids.ts";
import type { UserRow } from "../../../storage/rows.ts";
import type { App } from "../../api/app.ts";
import type { FileReceiver, ReceivedFile, Receiving } from "../../api/route.ts";
import { examine, thumbnailsOf } from "../../pictures/thumbnails.ts";
import type { BodyShare } from "../../server/body-budget.ts";
import type { FileHead } from "../../server/multipart.ts";
import { contentTypeOf, newUploadPath, nowOrLater, safeFileName, storedPath } from "./files.ts";

const mebibyte = 1024 * 1024;
/** The form around a file takes less. */
const formBytes = 64 * 1024;

export const quotasOf = ({ config }: App) => ({
  account: config.accountUploadQuotaMib,
  realm: config.realmUploadQuotaMib,
});
export const tooLargeFor = ({ config }: App): string =>
  `Uploaded file is larger than the allowed limit of ${config.maxUploadMib} MiB`;
export const maxUploadBytes = ({ config }: App): number => config.maxUploadMib * mebibyte;

/**
 * Takes the file of one request, as far as limits and quotas allow.
 *
 * @throws BAD_REQUEST, ACCOUNT_UPLOAD_QUOTA, REALM_UPLOAD_QUOTA for what is known to be too large before it comes
 */
export async function receiveUpload({ app, realm, user, announced }: Receiving<UserRow>): Promise<FileReceiver> {
  const least = Math.max(0, (announced ?? 0) - formBytes);
  if (least > maxUploadBytes(app)) throw badRequest(tooLargeFor(app));
  // This check keeps the disk from filling up. The command checks again, when no other upload can come between.
  await checkUploadQuotas(realm, user, least, quotasOf(app));
  return new UploadReceiver(app, realm, user.id);
}

class UploadReceiver implements FileReceiver {
  readonly #share: BodyShare;
  #pathId: string | undefined;

  constructor(
    private readonly app: App,
    private readonly realm: ServedRealm,
    userId: UserId,
  ) {
    this.#share = app.incoming.open(() => `account:${userId}`);
  }

  async take(file: FileHead, pieces: AsyncIterable<Buffer>): Promise<ReceivedFile> {
    if (this.#pathId !== undefined) throw badRequest("You may only upload one file at a time");
    const pathId = newUploadPath(this.realm.id, safeFileName(file.fileName));
    this.#pathId = pathId;
    let size = 0;
    const [share, app] = [this.#share, this.app];
    async function* counted() {
      for await (const piece of pieces) {
        size += piece.length;
        if (size > maxUploadBytes(app)) throw badRequest(tooLargeFor(app));
        share.take(piece.length);
        yield piece;
      }
    }
    await this.app.files.put(storedPath(pathId), counted());
    return { ...file, size, pathId };
  }

  async close(isKept: boolean): Promise<void> {
    this.#share.release();
    if (!isKept && this.#pathId !== undefined) await this.app.files.remove(storedPath(this.#pathId));
  }
}

/**
 * Makes a stored file an attachment of the person's.
 *
 * @throws ACCOUNT_UPLOAD_QUOTA, REALM_UPLOAD_QUOTA
 */
export async function addUpload(
  app: App,
  realm: ServedRealm,
  userId: UserId,
  { fileName: given, pathId, size, contentType: declared }: Omit<ReceivedFile, "field">,
): Promise<{ url: string; filename: string }> {
  const fileName = safeFileName(given);
  const contentType = contentTypeOf(fileName, declared);
  const place = storedPath(pathId);
  const { scansUploads: isQuarantined } = app;
  // Thumbnails are made before the answer, so they exist when a message links to the file. Of one that may be infected
  // nothing is opened.
  const image = isQuarantined ? null : await examine(app.pictures, app.files, place, contentType);
  const accessKey = randomBytes(24).toString("base64url");
  try {
    const quotas = quotasOf(app);
    const file = { fileName, pathId, size, contentType, accessKey, image, isQuarantined };
    const added = await realm.execute("addAttachment", { ...file, userId, quotas });
    // An older node that writes knows of no quarantine. Nobody knows the file's address yet.
    if (isQuarantined && !added.isQuarantined) await quarantine(realm, pathId);
  } catch (error) {
    for (const path of thumbnailsOf(place, { image })) await app.files.remove(path);
    throw error;
  }
  return { url: `/user_uploads/${pathId}`, filename: fileName };
}

/** Removes an upload of the person's, and its bytes. @throws BAD_REQUEST */
export async function removeUpload(app: App, realm: ServedRealm, userId: UserId, id: AttachmentId): Promise<void> {
  const found = await findAttachmentById(realm, id);
  const place = found && storedPath(found.path_id);
  const files = found && place !== undefined ? [place, ...thumbnailsOf(place, found)] : [];
  const { isHeld } = await realm.execute("removeAttachment", { userId, id, files });
  if (!isHeld) await nowOrLater(Promise.all(files.map((path) => app.files.remove(path))));
}

/**
 * Stores a file that is in memory, as an attachment of the person's. `remove` is for a message that is not sent.
 *
 * @throws BAD_REQUEST, ACCOUNT_UPLOAD_QUOTA, REALM_UPLOAD_QUOTA
 */
export async function storeUpload(
  app: App,
  realm: ServedRealm,
  userId: UserId,
  { name, type, bytes }: { name: string; type: string; bytes: Uint8Array },
): Promise<{ url: string; filename: string; remove(): Promise<void> }> {
  if (bytes.length > maxUploadBytes(app)) throw badRequest(tooLargeFor(app));
  const pathId = newUploadPath(realm.id, safeFileName(name));
  const place = storedPath(pathId);
  await app.files.put(place, bytes);
  try {
    const file = { fileName: name, pathId, size: bytes.length, contentType: type };
    const added = await addUpload(app, realm, userId, file);
    const remove = async () => {
      const attachment = await findAttachmentByPath(realm, pathId);
      if (attachment) await removeUpload(app, realm, userId, attachment.id);
    };
    return { ...added, remove };
  } catch (error) {
    await app.files.remove(place);
    throw error;
  }
}
