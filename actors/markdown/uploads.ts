import { escapeHtml } from "./rendering.ts";

/**
 * Uploaded files that a message links to, and the previews of those that are images: `<div
 * class="message_inline_image">` after the block with the link. Source: zulip.com/api/message-formatting, Images.
 */
export interface Upload {
  href: string;
  title: string;
}

/** Previews per message: more would bury the conversation. */
export const maxPreviews = 24;

const uploadPrefix = "/user_uploads/";
const imageExtensionPattern = /\.(?:bmp|gif|jpe|jpeg|jpg|png|webp|avif|heic|tiff)$/i;

/** The part after `/user_uploads/` of a link to an upload (written relative to the realm), else `undefined`. */
export function uploadPathId(href: string): string | undefined {
  if (!href.startsWith(uploadPrefix)) return undefined;
  const pathId = decodePath(pathOf(href).slice(uploadPrefix.length));
  const segments = pathId?.split("/");
  // Thumbnails are made from uploads; they are not attachments themselves.
  if (!segments || segments.length < 2 || segments[0] === "thumbnail") return undefined;
  return segments.some((segment) => segment === "" || segment === "." || segment === "..") ? undefined : pathId;
}

/** Whether the path of an address ends like an image's. */
export function isImagePath(href: string): boolean {
  return imageExtensionPattern.test(pathOf(href));
}

/** The file name in an address. */
export function fileNameOf(href: string): string {
  const encoded = pathOf(href).split("/").at(-1)!;
  return decodePath(encoded) ?? encoded;
}

/** The HTML of one image preview. */
export function previewHtml({ href, title }: Upload): string {
  const url = escapeHtml(href);
  return `<div class="message_inline_image"><a href="${url}" title="${escapeHtml(title)}"><img src="${url}"></a></div>\n`;
}

function pathOf(href: string): string {
  return href.split(/[?#]/, 1)[0]!;
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    // A stray percent sign: not an address that the server has given out.
    return undefined;
  }
}
