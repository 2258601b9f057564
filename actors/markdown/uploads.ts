import { lastOf, upTo } from "../../storage/failures.ts";
import { decodePercent } from "../percent-encoding.ts";
import { escapeHtml, type Media } from "./rendering.ts";

/**
 * Uploads in a message. After the block with a link to one comes `<div class="message_inline_image">` with the
 * thumbnail of a picture, or with a video. `![name](address)` shows a picture or an audio player in place. Source:
 * zulip.com/api/message-formatting, Images, Video, Audio.
 */
export interface Upload {
  href: string;
  title: string;
  media: Media;
}

/** The size of every thumbnail in pixels, and the names of still and of animated ones. */
export const thumbnailSize = { width: 840, height: 560, still: "840x560.webp", animated: "840x560-anim.webp" };

/** `server_thumbnail_formats`: the thumbnails that each picture has. */
export const thumbnailFormats = [true, false].map((animated) => ({
  name: animated ? thumbnailSize.animated : thumbnailSize.still,
  max_width: thumbnailSize.width,
  max_height: thumbnailSize.height,
  format: "webp",
  animated,
}));

/** Previews in one message: more would hide the conversation. */
export const maxPreviews = 24;

const videoTypes = ["video/mp4", "video/quicktime", "video/webm"];
const audioTypes = ["aac", "flac", "mp4", "x-m4a", "mpeg", "wav", "x-wav", "vnd.wave", "webm"].map(
  (kind) => `audio/${kind}`,
);

const uploadPrefix = "/user_uploads/";
const imageExtensionPattern = /\.(?:bmp|gif|jpe|jpeg|jpg|png|webp|avif|heic|tiff)$/i;

/**
 * The part after `/user_uploads/` of a link to an upload, which is relative to the realm. Undefined for other links.
 */
export function uploadPathId(href: string): string | undefined {
  if (!href.startsWith(uploadPrefix)) return undefined;
  const pathId = decodePercent(pathOf(href).slice(uploadPrefix.length));
  const segments = pathId?.split("/");
  // Thumbnails are made from uploads. They are not attachments themselves.
  if (!segments || segments.length < 2 || segments[0] === "thumbnail") return undefined;
  return segments.some((segment) => segment === "" || segment === "." || segment === "..") ? undefined : pathId;
}

/** Whether the path of an address has the extension of an image. */
export function isImagePath(href: string): boolean {
  return imageExtensionPattern.test(pathOf(href));
}

/** The file name in an address. */
export function fileNameOf(href: string): string {
  const encoded = lastOf(pathOf(href).split("/"));
  return decodePercent(encoded) ?? encoded;
}

/** Whether a link to the upload has a preview. */
export function hasPreview(href: string, { content_type: type, image }: Media): boolean {
  if (videoTypes.includes(type)) return true;
  // A picture from before there were thumbnails is shown directly.
  return image !== false && (image !== null || isImagePath(href));
}

/** The HTML of one preview. */
export function previewHtml({ href, title, media }: Upload): string {
  const url = escapeHtml(href);
  const open = `<a href="${url}" title="${escapeHtml(title)}">`;
  if (videoTypes.includes(media.content_type))
    return `<div class="message_inline_image message_inline_video">${open}<video${poster(href, media.image)} preload="metadata" src="${url}"></video></a></div>`;
  return `<div class="message_inline_image">${open}<img${pictureAttributes(href, media.image)}></a></div>`;
}

/** The HTML of `![title](href)`. Undefined when it becomes a link. */
export function inlineHtml({ href, title, media }: Upload): string | undefined {
  const url = escapeHtml(href);
  const name = escapeHtml(title);
  if (audioTypes.includes(media.content_type))
    return `<audio controls preload="metadata" src="${url}" title="${name}"></audio>`;
  if (videoTypes.includes(media.content_type) || !hasPreview(href, media)) return undefined;
  const attributes = pictureAttributes(href, media.image);
  return `<img alt="${name}" class="inline-image" data-original-src="${url}"${attributes}>`;
}

function pictureAttributes(href: string, image: Media["image"]): string {
  if (!image) return ` src="${escapeHtml(href)}"`;
  const thumbnail = thumbnailOf(href, image.frames > 1 ? thumbnailSize.animated : thumbnailSize.still);
  return [
    ...(image.frames > 1 ? [' data-animated="true"'] : []),
    ` data-original-content-type="${escapeHtml(image.type)}"`,
    ` data-original-dimensions="${image.width}x${image.height}"`,
    ...(image.transcoded === undefined ? [] : [` data-transcoded-image="${escapeHtml(image.transcoded)}"`]),
    ` src="${escapeHtml(thumbnail)}"`,
  ].join("");
}

/**
 * What stands for a film before it is played. Without it a browser fetches enough of the film to show its beginning.
 */
function poster(href: string, image: Media["image"]): string {
  return image ? ` poster="${escapeHtml(thumbnailOf(href, thumbnailSize.still))}"` : "";
}

const thumbnailOf = (href: string, name: string): string =>
  `${uploadPrefix}thumbnail/${pathOf(href).slice(uploadPrefix.length)}/${name}`;

/** Whether an upload shows a picture that is no film's. */
export const isShownPicture = ({ image }: Media): boolean =>
  image !== null && image !== false && !image.type.startsWith("video/");

function pathOf(href: string): string {
  return upTo(href, /[?#]/);
}
