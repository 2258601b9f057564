/**
 * Pictures that stand for somebody or something: avatars, emoji, the organization's icon and logos. Whoever sees a name
 * sees them, so what is served is always drawn by this server. It has the sizes that clients ask for, and any client
 * can hold it. What else was in the file is left out, such as where a photo was taken. What is kept of an upload is the
 * largest drawing. Pictures of imports and of earlier versions are kept as they came, and drawn when somebody asks.
 */
import { errors } from "../../actors/errors.ts";
import { defined, firstOf, upTo } from "../../storage/failures.ts";
import type { FileStore } from "../../storage/files/file-store.ts";
import type { App } from "../api/app.ts";
import type { Drawing } from "./picture-maker.ts";

const still = (name: string, width: number, height: number, fit: Drawing["fit"]): Drawing => ({
  name,
  width,
  height,
  fit,
  format: "png",
});
const emoji = { width: 64, height: 64, fit: "contain" } as const;

/** The drawings of each kind, the largest first. Sizes: Zulip's. */
const kinds = {
  avatar: [still("medium", 500, 500, "cover"), still("small", 100, 100, "cover")],
  emoji: [
    { ...emoji, name: "shown", isAnimated: true },
    { ...emoji, name: "still" },
  ],
  icon: [still("shown", 100, 100, "cover")],
  logo: [still("shown", 800, 100, "inside")],
} satisfies Record<string, Drawing[]>;

export type PictureKind = keyof typeof kinds;

type Pictures = Pick<App, "pictures" | "files">;

/** What is stored of an upload. */
export interface DrawnPicture {
  moves: boolean;
  drawn: Record<string, Uint8Array>;
}

/** Draws an upload. @throws BAD_IMAGE, SERVICE_UNAVAILABLE */
export async function drawPicture({ pictures }: Pictures, kind: PictureKind, bytes: Uint8Array): Promise<DrawnPicture> {
  const made = await pictures.redraw({ source: bytes, drawings: kinds[kind] });
  if (made === "busy") throw tooManyPictures();
  if (made === "too large") throw errors.BAD_IMAGE("Image size exceeds limit.");
  if (made === undefined) throw errors.BAD_IMAGE("Could not decode image; did you upload an image file?");
  return made;
}

/** Keeps what was drawn under the path of the picture. */
export async function keepPicture({ files }: Pictures, path: string, { drawn }: DrawnPicture): Promise<void> {
  for (const [name, bytes] of Object.entries(drawn)) await files.put(drawnPath(path, name), bytes);
  await files.put(path, firstOf(Object.values(drawn)));
}

/**
 * The path of a drawing of a stored picture, drawn now if it never was. undefined: there is no such picture, or it
 * cannot be drawn.
 *
 * @param format what the name of a file from an earlier version says
 * @throws SERVICE_UNAVAILABLE
 */
export async function findDrawn(
  { pictures, files }: Pictures,
  kind: PictureKind,
  path: string,
  name: string,
  format: Drawing["format"] = undefined,
): Promise<string | undefined> {
  const wanted = drawnPath(path, name);
  const size = await files.size(wanted);
  if (size !== undefined) return size === 0 ? undefined : wanted;
  if ((await files.size(path)) === undefined) return undefined;
  const drawings: Drawing[] = kinds[kind].map((drawing) => (format === undefined ? drawing : { ...drawing, format }));
  const made = await files.onDisk(path, (source) => pictures.redraw({ source, drawings }));
  if (made === "busy") throw tooManyPictures();
  // One that cannot be drawn is not tried again: nothing is kept in its place.
  const isDrawn = made !== undefined && made !== "too large";
  for (const one of drawings)
    await files.put(
      drawnPath(path, one.name),
      isDrawn ? defined(made.drawn[one.name], "picture of that size") : new Uint8Array(),
    );
  return isDrawn ? wanted : undefined;
}

/** Removes a picture and all that was drawn of it. */
export async function removePicture(files: FileStore, kind: PictureKind, path: string): Promise<void> {
  await files.remove(path);
  for (const { name } of kinds[kind]) await files.remove(drawnPath(path, name));
}

const kindOfFolder: Readonly<Record<string, PictureKind>> = { avatars: "avatar", emoji: "emoji", realm: "logo" };

/** Removes any stored file, and what was drawn of it if it is a picture that is shown. */
export async function removeStored(files: FileStore, path: string): Promise<void> {
  const kind = kindOfFolder[upTo(path, "/")];
  await (kind === undefined ? files.remove(path) : removePicture(files, kind, path));
}

/** What the name of a stored picture says that it is. */
export function formatOf(fileName: string): Drawing["format"] {
  const ending = /\.([a-z]+)$/.exec(fileName)?.[1];
  return ending === "jpg" ? "jpeg" : (["png", "gif", "jpeg", "webp"] as const).find((format) => format === ending);
}

const drawnPath = (path: string, name: string): string => `${path}-${name}`;

const tooManyPictures = () => errors.SERVICE_UNAVAILABLE("Too many pictures are being drawn; try again.");
