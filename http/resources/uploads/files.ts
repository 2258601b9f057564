/**
 * Files: how uploads are named and stored, and the headers that keep browsers from running them. Temporary addresses
 * open a file for a minute without a log-in.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { FilesUnavailable, lastOf, upTo } from "../../../storage/failures.ts";
import type { FileStore } from "../../../storage/files/file-store.ts";
import type { RealmId } from "../../../storage/ids.ts";
import type { Attachment } from "../../../storage/messages/attachments.ts";
import { FileReply, RawReply } from "../../api/reply.ts";
import type { Exchange } from "../../server/exchange.ts";
import type { Headers } from "../../server/header-block.ts";

/** Seconds for which a temporary address works. https://zulip.com/api/get-file-temporary-url */
export const temporarySecs = 60;
const maxNameLength = 100;

/** Types that browsers may show in place: pictures without scripts. SVG can contain them. */
const imageTypes: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  bmp: "image/bmp",
  tif: "image/tiff",
  tiff: "image/tiff",
  heic: "image/heic",
};
/** Types of audio and video that clients play, by extension: many programs send files without a type. */
const mediaTypes: Readonly<Record<string, string>> = {
  mp4: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
  aac: "audio/aac",
  flac: "audio/flac",
  m4a: "audio/mp4",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  weba: "audio/webm",
};
/** Other names of a type, by which some programs declare it. */
const sameTypes: Readonly<Record<string, string>> = { "audio/x-m4a": "audio/mp4", "audio/m4a": "audio/mp4" };
/** Types that are answered as declared, for the program that saves the file. */
const plainTypePattern =
  /^(?:audio|video|font)\/[a-z0-9.+-]{1,60}$|^(?:text\/plain|application\/(?:pdf|zip|json|gzip))$/;

/** What browsers may show in place besides pictures: no type in which a script could be. */
const openedTypePattern = /^(?:audio|video)\/|^text\/plain$|^application\/pdf$/;

/** A film that is opened by itself is a page of the browser's own, which plays it from the same address. */
const safePolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'";
/** Headers of every answer with uploaded bytes. Nothing in them runs, and browsers do not guess another type. */
export const safeBytesHeaders: Headers = [["Content-Security-Policy", `${safePolicy}; sandbox`]];
/** Chromium shows no PDF in a sandbox. Its viewer, as others, runs what is in one apart from the page's origin. */
const safePdfHeaders: Headers = [["Content-Security-Policy", `${safePolicy}; object-src 'self'`]];

/** The bytes of a path never change. */
const readOnce = "private, immutable, max-age=31536000";

const extensionOf = (name: string): string => /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "";

/** The content type of the answer, which may differ from the declared one. */
export function contentTypeOf(name: string, declared: string): string {
  const image = imageTypes[extensionOf(name)];
  if (image) return image;
  const type = upTo(declared.toLowerCase(), ";").trim();
  if (plainTypePattern.test(type)) return sameTypes[type] ?? type;
  return mediaTypes[extensionOf(name)] ?? "application/octet-stream";
}

const nameless = "uploaded-file";

/** A name that needs no escaping in an address, in Markdown or on a disk. It has letters, digits, `.`, `_` and `-`. */
export function safeFileName(given: string): string {
  const last = lastOf(given.replaceAll("\\", "/").split("/"));
  // A name of symbols alone would leave its extension without the dot, and so the file without its type.
  const base = last.replace(/^[^\p{L}\p{N}]+(?=\.[\p{L}\p{N}]{1,20}$)/u, nameless);
  const cleaned = base
    .normalize("NFKC")
    .replace(/[^\p{L}\p{N}_.\s-]/gu, "")
    .trim()
    .replace(/[-\s]+/g, "-")
    .replace(/^\.+/, "");
  // The extension matters, so a long name is cut in the middle.
  const points = [...cleaned];
  const short =
    points.length <= maxNameLength ? cleaned : [...points.slice(0, maxNameLength - 20), ...points.slice(-20)].join("");
  return /[\p{L}\p{N}]/u.test(short) ? short : nameless;
}

/**
 * A path for a new file. It is both the address and, without the file's name, the place below the data folder.
 *
 * @param random 18 bytes that cannot be guessed, and one that spreads the files over folders
 */
export function newUploadPath(realmId: RealmId, fileName: string, random: Buffer = randomBytes(19)): string {
  const name = random.subarray(0, 18).toString("base64url").replace(/^-/, "_");
  return `${realmId}/${random.subarray(18).toString("hex")}/${name}/${safeFileName(fileName)}`;
}

/** The stored file of an upload. Older paths have no folder between organization and random name. */
export function storedPath(pathId: string): string {
  const [realmId, ...rest] = pathId.split("/");
  const random = rest.at(-2);
  return `uploads/${realmId}/${random}`;
}

/** The temporary address of a file. */
export function temporaryUrl(attachment: Attachment, now: number): string {
  const expires = now + temporarySecs;
  return `/user_uploads/temporary/${expires}.${signature(attachment, expires)}/${attachment.path_id}`;
}

/** Whether the token of a temporary address belongs to this file, and is not expired. */
export function isTokenGood(attachment: Attachment, token: string, now: number): boolean {
  const [, expires, shown] = /^(\d{1,12})\.([0-9a-f]{64})$/.exec(token) ?? [];
  if (shown === undefined || Number(expires) < now) return false;
  return timingSafeEqual(Buffer.from(shown), Buffer.from(signature(attachment, Number(expires))));
}

function signature(attachment: Attachment, expires: number): string {
  return createHmac("sha256", attachment.access_key).update(`${expires}:${attachment.path_id}`).digest("hex");
}

/** What to do with a file, and how to name it. Source: RFC 8187. */
function named(disposition: "inline" | "attachment", fileName: string): string {
  const name = encodeURIComponent(fileName).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
  return `${disposition}; filename*=UTF-8''${name}`;
}

/** The header of a file that browsers only save. */
export const savedAs = (fileName: string): string => named("attachment", fileName);

/**
 * Headers for the bytes of an upload. Browsers open pictures, films, sound, PDF and plain text, and save anything else.
 * Nothing in it may run.
 */
export function attachmentHeaders(attachment: Attachment, isDownload = false): Headers {
  const { content_type: type } = attachment;
  const isOpened = !isDownload && (Object.values(imageTypes).includes(type) || openedTypePattern.test(type));
  return [
    ["Content-Type", isOpened && type === "text/plain" ? "text/plain; charset=utf-8" : type],
    ["Content-Disposition", named(isOpened ? "inline" : "attachment", attachment.file_name)],
    ["Cache-Control", readOnce],
    ...(isOpened && type === "application/pdf" ? safePdfHeaders : safeBytesHeaders),
  ];
}

/** Headers of a picture that the server made and everybody may see. */
export const publicThumbnailHeaders: Headers = [
  ["Content-Type", "image/webp"],
  ["Cache-Control", "public, immutable, max-age=31536000"],
  ...safeBytesHeaders,
];

/** Headers of a thumbnail, which the server made. */
export const thumbnailHeaders: Headers = [
  ["Content-Type", "image/webp"],
  ["Cache-Control", readOnce],
  ...safeBytesHeaders,
];

/**
 * A stored file, or the requested range of it. Undefined when it does not exist. The bytes of a path never change, so
 * the path serves as entity tag.
 */
export async function fileReply(
  exchange: Exchange,
  files: FileStore,
  path: string,
  headers: Headers,
): Promise<FileReply | RawReply | undefined> {
  if (exchange.range === undefined) throw new Error("A route that answers with files declares `servesFiles`.");
  const file = await files.open(path);
  if (file === undefined) return undefined;
  const { size } = file;
  const tag = `"${path.replaceAll("/", "-")}"`;
  const about: Headers = [...headers, ["ETag", tag], ["Accept-Ranges", "bytes"]];
  if (exchange.ifNoneMatch.split(",").some((given) => given.trim().replace(/^W\//, "") === tag))
    return new RawReply(304, about, "");
  const read = (from: number) => (offset: number, into: Uint8Array) => file.read(from + offset, into);
  const range = rangeOf(exchange.range, size);
  if (range === undefined) return new FileReply(200, about, { size, read: read(0) });
  if (range === "none") return new RawReply(416, [...about, ["Content-Range", `bytes */${size}`]], "");
  const { first, last } = range;
  return new FileReply(206, [...about, ["Content-Range", `bytes ${first}-${last}/${size}`]], {
    size: last - first + 1,
    read: read(first),
  });
}

/**
 * A redirect to where the store itself answers for some time, with the same type and disposition. Undefined where there
 * is no such address: the bytes are sent by the server then.
 *
 * @param headers what the bytes would be sent with
 */
export async function signedReply(
  exchange: Exchange,
  files: FileStore,
  path: string,
  headers: Headers,
): Promise<RawReply | undefined> {
  // The address is signed for GET alone.
  if (files.addressOrigin === undefined || exchange.method === "HEAD") return undefined;
  const header = (name: string) => headers.find(([each]) => each === name)?.[1];
  const address = await files.addressOf(path, {
    type: header("Content-Type") ?? "application/octet-stream",
    disposition: header("Content-Disposition") ?? "inline",
    caching: readOnce,
  });
  if (address === undefined) return undefined;
  const about: Headers = [
    ["Location", address],
    // Whoever asks again may have lost the right.
    ["Cache-Control", "private, no-store"],
    ["Referrer-Policy", "no-referrer"],
  ];
  return new RawReply(302, about, "");
}

/**
 * Parses a `Range` header. Undefined means the whole file, also for a header that is not understood. Source: RFC 9110,
 * 14.1.2.
 */
function rangeOf(header: string, size: number): { first: number; last: number } | "none" | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim());
  if (!match || (match[1] === "" && match[2] === "")) return undefined;
  const first = match[1] === "" ? Math.max(0, size - Number(match[2])) : Number(match[1]);
  const last = match[1] === "" || match[2] === "" ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (match[1] !== "" && match[2] !== "" && Number(match[2]) < Number(match[1])) return undefined;
  return first > last ? "none" : { first, last };
}

/** Removes files that are on the list of what is to be removed: if the store is away now, a job does it. */
export async function nowOrLater(removal: Promise<unknown>): Promise<void> {
  await removal.catch((error: unknown) => {
    if (!(error instanceof FilesUnavailable)) throw error;
  });
}

/** Content type of a picture with this extension. */
export function imageTypeOf(extension: string): string | undefined {
  return imageTypes[extension];
}
