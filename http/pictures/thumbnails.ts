/** Thumbnails of uploaded pictures and films: which there are, where they are kept, and how they come to be. */
import { thumbnailSize } from "../../actors/markdown/uploads.ts";
import type { FileStore } from "../../storage/files/file-store.ts";
import type { Attachment, Picture } from "../../storage/messages/attachments.ts";
import { type Made, PictureMaker } from "./picture-maker.ts";
import type { Programs } from "./programs.ts";

const { still, animated, ...size } = thumbnailSize;

/** Pixels of what is drawn of a picture that browsers do not show. */
const transcodedSize = { width: 4032, height: 3024 };

/** A larger film has no poster: an object store would have to hand over all of it. */
const maxFilmBytes = 512 * 1024 * 1024;

export const newPictureMaker = (programs: Programs): PictureMaker =>
  new PictureMaker(
    { still: { name: still, ...size }, animated: { name: animated, ...size }, transcoded: transcodedSize },
    programs,
  );

const isFilm = (contentType: string): boolean => /^video\/(?:mp4|quicktime|webm)$/.test(contentType);

/** Whether thumbnails are made of a type. Browsers show some other pictures, BMP, and get those as they are. */
export function mayHaveThumbnail({ programs }: PictureMaker, contentType: string): boolean {
  if (isFilm(contentType)) return programs.ffmpeg !== undefined;
  return /^image\/(?:png|jpeg|gif|webp|avif|tiff|heic|heif)$/.test(contentType);
}

/**
 * Looks at an upload that is stored, and keeps its thumbnails.
 *
 * @param path where the bytes of the upload are
 * @returns what it shows; false for nothing that can be drawn; null when nobody has looked
 */
export async function examine(
  maker: PictureMaker,
  files: FileStore,
  path: string,
  contentType: string,
): Promise<Attachment["image"]> {
  if (!mayHaveThumbnail(maker, contentType)) return null;
  if (isFilm(contentType) && ((await files.size(path)) ?? 0) > maxFilmBytes) return null;
  const made = await files.onDisk(path, (file) => maker.make(file));
  if (made === "busy") return null;
  if (made === undefined) return false;
  await keep(files, path, made);
  return made.picture;
}

/**
 * The path of a thumbnail that is stored, drawn anew if it is not there.
 *
 * @param format name of the one wanted; of a name that is not known, what comes closest
 */
export async function findThumbnail(
  maker: PictureMaker,
  files: FileStore,
  path: string,
  { image, content_type: contentType }: Pick<Attachment, "image" | "content_type">,
  format: string,
): Promise<string | undefined> {
  // Of a film nobody has looked at no message shows a poster.
  if (image === false || (image === null && isFilm(contentType))) return undefined;
  if (!mayHaveThumbnail(maker, contentType)) return undefined;
  const known = image ? formatsOf(image) : [still];
  const name = known.includes(format) ? format : known.includes(animated) && isAnimated(format) ? animated : still;
  const place = thumbnailPath(path, name);
  if ((await files.size(place)) !== undefined) return place;
  const made = await files.onDisk(path, (file) => maker.make(file, name));
  if (made === undefined || made === "busy") return undefined;
  await keep(files, path, made);
  return place;
}

/** Where everything lies that was drawn of an upload. */
export function thumbnailsOf(path: string, { image }: Pick<Attachment, "image">): string[] {
  return (image ? formatsOf(image) : [still]).map((name) => thumbnailPath(path, name));
}

function formatsOf({ frames, transcoded }: Picture): string[] {
  return [still, ...(frames > 1 ? [animated] : []), ...(transcoded === undefined ? [] : [transcoded])];
}

const isAnimated = (format: string): boolean => format.endsWith("-anim.webp");

const thumbnailPath = (path: string, name: string): string => `${path.replace(/^uploads/, "thumbnails")}-${name}`;

async function keep(files: FileStore, path: string, { drawn }: Made): Promise<void> {
  for (const [name, bytes] of Object.entries(drawn)) await files.put(thumbnailPath(path, name), bytes);
}
