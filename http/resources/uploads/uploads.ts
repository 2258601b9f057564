/** Uploads: sending, reading, listing and deleting files. */

import { array, boolean, integer, object, size, string } from "superstruct";
import { badRequest, errors, notFound } from "../../../actors/errors.ts";
import { attachment } from "../../../actors/events/messages.ts";
import type { ServedRealm } from "../../../actors/realm/served.ts";
import { annotated, described } from "../../../actors/shape.ts";
import {
  accessAttachment,
  findAttachmentByPath,
  findReadableUploads,
  readUploads,
} from "../../../actors/uploads/attachments.ts";
import type { AttachmentId, RealmId } from "../../../storage/ids.ts";
import type { Attachment } from "../../../storage/messages/attachments.ts";
import type { UserRow } from "../../../storage/rows.ts";
import type { App } from "../../api/app.ts";
import { json, pathInt, pathText, text } from "../../api/params.ts";
import type { Answer } from "../../api/reply.ts";
import { anyAccount, checkKind, type Route, route } from "../../api/route.ts";
import { findThumbnail } from "../../pictures/thumbnails.ts";
import type { Exchange } from "../../server/exchange.ts";
import type { Headers } from "../../server/header-block.ts";
import {
  attachmentHeaders,
  fileReply,
  isTokenGood,
  signedReply,
  storedPath,
  temporaryUrl,
  thumbnailHeaders,
} from "./files.ts";
import { addUpload, receiveUpload, removeUpload } from "./receive.ts";

const missing = () => notFound("This file does not exist or has been deleted.");

/** Stores a file. https://zulip.com/api/upload-file */
export const uploadFile = route({
  doc: "https://zulip.com/api/upload-file",
  summary: "Stores a file and answers the address to link to it by.",
  auth: anyAccount,
  file: { description: "The file: at most `max_file_upload_size_mib` of `POST /register`.", isRequired: true },
  params: {},
  // Whoever takes it counts.
  maxBodyBytes: Number.MAX_SAFE_INTEGER,
  returns: {
    url: described(string(), "The file's address, to be linked to in messages."),
    uri: described(string(), "The file's address, under its older name."),
    filename: string(),
  },
  receive: receiveUpload,
  async handle({ app, realm, user, received }) {
    const [file] = received;
    if (!file) throw badRequest("You must specify a file to upload");
    const { url, filename } = await addUpload(app, realm, user.id, file);
    return { url, uri: url, filename };
  },
});

/**
 * Makes a temporary address, which works for a minute without a log-in. https://zulip.com/api/get-file-temporary-url
 */
export const getTemporaryUrl = route({
  doc: "https://zulip.com/api/get-file-temporary-url",
  summary: "Answers an address of a file that works for 60 s without a login.",
  auth: anyAccount,
  params: { realm_id: pathInt<RealmId>(), filename: pathText() },
  returns: { url: described(string(), "The file's address, to be linked to in messages.") },
  async handle({ realm, user, params }) {
    const pathId = `${params.realm_id}/${params.filename}`;
    const attachment = await accessAttachment(realm, user, pathId);
    return { url: temporaryUrl(attachment, realm.environment.clock()) };
  },
});

/**
 * The bytes of a file. Programs authenticate with their key, browsers with a cookie, and mobile apps with the key in
 * the query.
 */
function fileRoute(summary: string, isDownload: boolean): Route {
  const readsFile = route({
    doc: "https://zulip.com/api/upload-file",
    summary,
    auth: ["apiKey", "cookie", "anybody"],
    rateLimit: "none",
    servesFiles: true,
    params: {
      realm_id: pathText(),
      filename: pathText(),
      api_key: text().optional().describe("The caller's key, for addresses that stand alone, as in a picture."),
    },
    async handle({ app, realm, user, params, exchange }) {
      const reader = await readerOf(app, realm, user, params.api_key, exchange);
      if (reader) checkKind(reader, readsFile);
      const pathId = `${params.realm_id}/${params.filename}`;
      return bytesOf(app, exchange, await accessAttachment(realm, reader, pathId), isDownload);
    },
  });
  return readsFile;
}

/** The reader, by log-in or by the key in the query. Undefined for a spectator. */
async function readerOf(
  app: App,
  realm: ServedRealm,
  user: UserRow | undefined,
  apiKey: string | undefined,
  exchange: Exchange,
): Promise<UserRow | undefined> {
  return user ?? (apiKey === undefined ? undefined : await app.authenticator.byBareKey(realm, exchange, apiKey));
}

/** A file that browsers show in place if they can. */
export const readFile = fileRoute("The bytes of an uploaded file.", false);
/** A file that browsers save. */
export const downloadFile = fileRoute("The bytes of an uploaded file, to be saved.", true);

/** The bytes of a file, by a temporary address. */
export const readFileByToken = route({
  doc: "https://zulip.com/api/get-file-temporary-url",
  summary: "The bytes of an uploaded file, by an address that works for 60 s.",
  auth: ["anybody"],
  rateLimit: "none",
  servesFiles: true,
  params: { token: pathText().describe("The secret of the address."), filename: pathText() },
  async handle({ app, realm, params, exchange }) {
    const attachment = await findAttachmentByPath(realm, params.filename);
    if (!attachment || !isTokenGood(attachment, params.token, realm.environment.clock())) throw missing();
    return bytesOf(app, exchange, attachment);
  },
});

/** A thumbnail in one of `server_thumbnail_formats`. https://zulip.com/api/message-formatting */
export const readThumbnail = route({
  doc: "https://zulip.com/api/message-formatting",
  summary: "A thumbnail of an uploaded picture, in a format of server_thumbnail_formats.",
  auth: ["apiKey", "cookie", "anybody"],
  rateLimit: "none",
  servesFiles: true,
  params: {
    realm_id: pathText(),
    filename: pathText(),
    api_key: text().optional().describe("The caller's key, for addresses that stand alone, as in a picture."),
  },
  async handle({ app, realm, user, params, exchange }) {
    const reader = await readerOf(app, realm, user, params.api_key, exchange);
    if (reader) checkKind(reader, readThumbnail);
    const [, name, format] = /^(.+)\/([^/]+)$/.exec(params.filename) ?? [];
    if (name === undefined || format === undefined) throw missing();
    const attachment = await accessAttachment(realm, reader, `${params.realm_id}/${name}`);
    checkReleased(attachment);
    const original = storedPath(attachment.path_id);
    const path = await findThumbnail(app.pictures, app.files, original, attachment, format);
    const reply = path && (await replyWith(app, exchange, path, thumbnailHeaders));
    if (!reply) throw missing();
    return reply;
  },
});

/** Whether a file has a thumbnail. https://zulip.com/api/check-thumbnail-status */
export const getThumbnailStatus = route({
  doc: "https://zulip.com/api/message-formatting",
  summary: "Says whether an uploaded file has a thumbnail.",
  auth: anyAccount,
  params: { realm_id: pathInt(), filename: pathText() },
  returns: { has_thumbnail: described(boolean(), "Whether it has one.") },
  async handle({ realm, user, params }) {
    const { image } = await accessAttachment(realm, user, `${params.realm_id}/${params.filename}`);
    // Thumbnails exist before an upload is answered, or before it leaves quarantine.
    return { has_thumbnail: image !== null && image !== false };
  },
});

/** @throws FILE_BEING_CHECKED for a file of which nobody may have anything yet */
function checkReleased({ quarantined_at }: Attachment): void {
  if (quarantined_at !== null) throw errors.FILE_BEING_CHECKED();
}

async function bytesOf(app: App, exchange: Exchange, attachment: Attachment, isDownload = false): Promise<Answer> {
  checkReleased(attachment);
  const path = storedPath(attachment.path_id);
  const reply = await replyWith(app, exchange, path, attachmentHeaders(attachment, isDownload));
  if (!reply) throw missing();
  return reply;
}

/** From the store, if it gives addresses; else from here. */
const replyWith = async ({ files }: App, exchange: Exchange, path: string, headers: Headers) =>
  (await signedReply(exchange, files, path, headers)) ?? (await fileReply(exchange, files, path, headers));

/** The caller's files. https://zulip.com/api/get-attachments */
export const getAttachments = route({
  doc: "https://zulip.com/api/get-attachments",
  summary: "Returns the caller's uploaded files and the messages that link to them.",
  auth: anyAccount,
  params: {},
  returns: {
    attachments: described(array(attachment), "The caller's files."),
    upload_space_used: described(integer(), "Bytes of all files of the organization."),
  },
  handle: ({ realm, user }) => readUploads(realm, user),
});

/** Files that a request may ask for: what a few screens of messages link to. */
const maxPaths = 100;
const fileFacts = object({
  path_id: described(string(), "As asked."),
  size: described(integer(), "Bytes."),
  content_type: described(string(), "The type by which it is served."),
});

/** What files are, so that a client can say it beside the links to them. */
export const getAttachmentFacts = route({
  doc: "README.md",
  summary: "Returns sizes and types of those of these files that the caller may read.",
  auth: ["apiKey", "cookie", "anybody"],
  params: {
    path_ids: json(annotated(size(array(string()), 0, maxPaths), { maxItems: maxPaths })).describe(
      "What follows `/user_uploads/` in the files' addresses.",
    ),
  },
  returns: { attachments: described(array(fileFacts), "Without files that are gone or not the caller's to read.") },
  async handle({ realm, user, params }) {
    // Messages link to anything: what is no upload is left out, and the others are told of.
    const files = await findReadableUploads(realm, user, params.path_ids);
    return { attachments: files.map(({ path_id, size, content_type }) => ({ path_id, size, content_type })) };
  },
});

/** Deletes a file. https://zulip.com/api/remove-attachment */
export const removeAttachment = route({
  doc: "https://zulip.com/api/remove-attachment",
  summary: "Deletes one of the caller's uploaded files.",
  auth: anyAccount,
  params: { attachment_id: pathInt<AttachmentId>().describe("The file's id.") },
  returns: {},
  async handle({ app, realm, user, params }) {
    await removeUpload(app, realm, user.id, params.attachment_id);
    return {};
  },
});
