/**
 * Resumable uploads by tus 1.0.0 (https://tus.io/protocols/resumable-upload), as Zulip's clients ask for them:
 *
 *     POST    says how long a file is, and what it is called; its body may be the beginning
 *     PATCH   brings more of it, from the offset on that it names; what comes is kept when its client leaves
 *     HEAD    asks how much has come
 *     DELETE  gives it up
 *
 * The request that brings the last byte is answered with the file's address, and so is every later one that brings
 * nothing. No refusal has status 400: Uppy tries again after that one. Each says in `message` what clients show.
 */
import { ApiError } from "../../../actors/errors.ts";
import type { ServedRealm } from "../../../actors/realm/served.ts";
import { findAttachmentByPath } from "../../../actors/uploads/attachments.ts";
import {
  beginUpload,
  continueUpload,
  dropUpload,
  inParts,
  noteAttached,
} from "../../../actors/uploads/unfinished-uploads.ts";
import { BeingPutTogether, defined, FilesUnavailable } from "../../../storage/failures.ts";
import type { UnfinishedUpload } from "../../../storage/messages/unfinished-uploads.ts";
import type { UserRow } from "../../../storage/rows.ts";
import type { App } from "../../api/app.ts";
import { pathText } from "../../api/params.ts";
import { RawReply, type Reply } from "../../api/reply.ts";
import { type ApiRequest, anyAccount, route } from "../../api/route.ts";
import type { BodyStream } from "../../server/body-stream.ts";
import type { Exchange } from "../../server/exchange.ts";
import { newUploadPath, safeFileName, storedPath } from "./files.ts";
import { addUpload, maxUploadBytes, quotasOf, tooLargeFor } from "./receive.ts";
import { readMetadata } from "./tus-metadata.ts";

const doc = "https://tus.io/protocols/resumable-upload";
const version = "1.0.0";
const partType = "application/offset+octet-stream";
const wantsHeaders = ["tus-resumable", "upload-length", "upload-offset", "upload-metadata"] as const;
const exposed = "Location, Tus-Resumable, Upload-Expires, Upload-Length, Upload-Metadata, Upload-Offset";
const params = { upload_id: pathText().describe("The upload's id.") };

/** Whoever asks for a part of it. */
type Caller = Pick<ApiRequest, "app" | "realm" | "user">;

const refused = (status: number, code: string, message: string) => new ApiError(status, code, message, { message });
const absent = () => refused(404, "BAD_REQUEST", "This upload does not exist, has expired, or was given up.");
const named = ({ wanted }: Exchange, name: (typeof wantsHeaders)[number]): string => wanted?.get(name) ?? "";
const lengthIn = (text: string): number | undefined => (/^\d{1,15}$/.test(text) ? Number(text) : undefined);

/** Answers in the protocol's terms, errors too. */
async function speak(exchange: Exchange, act: () => Promise<Reply>): Promise<Reply> {
  exchange.headers.push(["Tus-Resumable", version], ["Access-Control-Expose-Headers", exposed]);
  try {
    const spoken = named(exchange, "tus-resumable");
    if (spoken !== version) {
      exchange.headers.push(["Tus-Version", version]);
      throw refused(412, "BAD_REQUEST", `Only version ${version} of tus is spoken here.`);
    }
    return await act();
  } catch (error) {
    // Clients of tus wait and ask again after a 423; after other refusals of HEAD they begin anew.
    if (error instanceof BeingPutTogether)
      throw refused(423, "BAD_REQUEST", "All of the file has come, and it is still being put together.");
    if (error instanceof FilesUnavailable)
      throw refused(503, "SERVICE_UNAVAILABLE", "Files are not available right now. Please try again.");
    if (!(error instanceof ApiError)) throw error;
    const status = error.status === 400 ? 413 : error.status;
    throw new ApiError(status, error.code, error.message, { ...error.extra, message: error.message });
  }
}

/** Begins an upload. https://zulip.com/api/upload-file */
export const createUpload = route({
  doc,
  summary: "Begins a resumable upload (tus): answers 201 with its address in `Location`.",
  auth: anyAccount,
  params: {},
  streamsBody: true,
  maxBodyBytes: Number.MAX_SAFE_INTEGER,
  wantsHeaders,
  options: [
    ["Tus-Resumable", version],
    ["Tus-Version", version],
    ["Tus-Extension", "creation,creation-with-upload,expiration,termination"],
  ],
  handle: ({ app, realm, user, exchange, body }) =>
    speak(exchange, async () => {
      const size = lengthIn(named(exchange, "upload-length"));
      if (size === undefined) throw refused(411, "BAD_REQUEST", "An upload must say in Upload-Length how long it is.");
      if (size > maxUploadBytes(app)) throw refused(413, "BAD_REQUEST", tooLargeFor(app));
      const metadata = named(exchange, "upload-metadata");
      const { fileName, contentType } = readMetadata(metadata);
      const name = safeFileName(fileName);
      const upload = await beginUpload(
        realm,
        user,
        { file_name: name, content_type: contentType, size, metadata, path_id: newUploadPath(realm.id, name) },
        quotasOf(app),
        app.incoming.limits.perCaller,
      );
      exchange.headers.push(["Location", `${exchange.path.replace(/\/$/, "")}/${upload.id}`]);
      const hasBegun = exchange.contentType === partType || size === 0;
      if (hasBegun) return takePart({ app, realm, user }, upload, body, 0, 201);
      return new RawReply(201, progressOf(upload, 0), "");
    }),
});

/** Brings more of it. */
export const resumeUpload = route({
  doc,
  summary: "Brings more of a resumable upload (tus): answers 204, or 200 with the file's address when all has come.",
  auth: anyAccount,
  params,
  streamsBody: true,
  maxBodyBytes: Number.MAX_SAFE_INTEGER,
  wantsHeaders,
  handle: ({ app, realm, user, exchange, params, body }) =>
    speak(exchange, async () => {
      if (exchange.contentType !== partType)
        throw refused(415, "BAD_REQUEST", `The Content-Type of a part is ${partType}.`);
      const offset = lengthIn(named(exchange, "upload-offset"));
      if (offset === undefined) throw refused(409, "BAD_REQUEST", "A part must say in Upload-Offset where it begins.");
      const upload = await accessUpload(realm, user, params.upload_id);
      return takePart({ app, realm, user }, upload, body, offset, 204);
    }),
});

/** How much has come. */
export const getUpload = route({
  doc,
  summary: "Says in `Upload-Offset` how much of a resumable upload has come (tus asks by HEAD).",
  auth: anyAccount,
  params,
  wantsHeaders,
  handle: ({ app, realm, user, exchange, params }) =>
    speak(exchange, async () => {
      const upload = await accessUpload(realm, user, params.upload_id);
      return app.resumed.hold(upload.id, unhurried, async () => {
        const come = await bytesOf(app, upload);
        // A node that died before it was an attachment has left it to whoever asks next.
        if (come === upload.size) await finish(app, realm, user, upload);
        const about = [["Upload-Length", String(upload.size)] as const, ...progressOf(upload, come ?? 0)];
        const metadata = upload.metadata === "" ? [] : [["Upload-Metadata", upload.metadata] as const];
        return new RawReply(200, [...about, ...metadata], "");
      });
    }),
});

/** Gives it up. */
export const terminateUpload = route({
  doc,
  summary: "Gives a resumable upload up (tus), unless all of it has come.",
  auth: anyAccount,
  params,
  streamsBody: true,
  wantsHeaders,
  handle: ({ app, realm, user, exchange, params }) =>
    speak(exchange, async () => {
      const { id } = await accessUpload(realm, user, params.upload_id);
      return app.resumed.hold(id, unhurried, async () => {
        const upload = await accessUpload(realm, user, id);
        if (upload.is_attached || (await findAttachmentByPath(realm, upload.path_id)))
          throw refused(403, "BAD_REQUEST", "The file is there, so its upload cannot be given up any more.");
        await dropUpload(realm, app.files, fileOf(upload), upload.path_id);
        return new RawReply(204, [], "");
      });
    }),
});

/** What takes no time of others' needs no hurrying. */
const unhurried = (): void => {};

/** @throws a 404 for one that is not the person's */
async function accessUpload(realm: ServedRealm, user: UserRow, id: string): Promise<UnfinishedUpload> {
  const upload = await continueUpload(realm, user, id);
  if (!upload) throw absent();
  return upload;
}

const progressOf = (upload: UnfinishedUpload, offset: number) =>
  [
    ["Upload-Offset", String(offset)],
    ["Upload-Expires", new Date(upload.expires_at * 1000).toUTCString()],
    ["Cache-Control", "no-store"],
  ] as const;

/** Bytes of it that have come; undefined before the first part. */
async function bytesOf({ files }: App, upload: UnfinishedUpload): Promise<number | undefined> {
  return upload.is_attached ? upload.size : files.parts.come(fileOf(upload));
}

const fileOf = (upload: UnfinishedUpload) => inParts(upload, storedPath);

/**
 * Takes what a request brings. Another request for the same upload ends it: its client has left and come again.
 *
 * @param status of an answer that more is to come
 */
function takePart(
  { app, realm, user }: Caller,
  upload: UnfinishedUpload,
  brought: BodyStream | undefined,
  offset: number,
  status: number,
): Promise<Reply> {
  const body = defined(brought, "body that streams");
  const taken = () => body.fail(refused(423, "BAD_REQUEST", "Another request has gone on with this upload."));
  return app.resumed.hold(upload.id, taken, async () => {
    const known = offset === 0 && status === 201 ? upload : await accessUpload(realm, user, upload.id);
    const come = await bytesOf(app, known);
    if (offset !== (come ?? 0)) throw refused(409, "BAD_REQUEST", "The part does not begin where those before it end.");
    const tooMuch = () => refused(413, "BAD_REQUEST", "The part has more bytes than the upload said it would.");
    if (offset + (body.announced ?? 0) > upload.size) throw tooMuch();
    let end = offset;
    async function* counted() {
      for await (const piece of body) {
        if (end + piece.length > upload.size) throw tooMuch();
        end += piece.length;
        yield piece;
      }
    }
    // Whoever brings nothing more asks for the answer that was lost.
    if (come !== upload.size) await app.files.parts.append(fileOf(upload), counted(), offset);
    if (end < upload.size) return new RawReply(status, progressOf(upload, end), "");
    const finished = await finish(app, realm, user, known);
    const headers = [["Content-Type", "application/json"] as const, ...progressOf(upload, end)];
    return new RawReply(200, headers, JSON.stringify(finished));
  });
}

/** Makes an upload that has come as a whole an attachment, unless it is one. Goes on where a crash ended it. */
async function finish(
  app: App,
  realm: ServedRealm,
  user: UserRow,
  upload: UnfinishedUpload,
): Promise<{ url: string; filename: string }> {
  const { path_id: pathId, file_name: fileName, content_type: contentType, size } = upload;
  if (!upload.is_attached && !(await findAttachmentByPath(realm, pathId))) {
    await app.files.parts.finish(fileOf(upload));
    try {
      await addUpload(app, realm, user.id, { fileName, pathId, size, contentType });
    } catch (error) {
      // It will never fit, or the database is away: then its client comes again.
      if (error instanceof ApiError && error.status === 400)
        await dropUpload(realm, app.files, fileOf(upload), upload.path_id);
      throw error;
    }
  }
  if (!upload.is_attached) await noteAttached(realm, upload);
  return { url: `/user_uploads/${pathId}`, filename: fileName };
}
