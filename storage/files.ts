/**
 * Uploaded files, in one folder. A file is written under a temporary name, synced to disk and renamed. So a reader sees
 * all of it or nothing, and an acknowledged file outlives a power cut. The server chooses the paths. One that could
 * leave the folder is a bug and throws.
 */
import { constants } from "node:fs";
import { open, opendir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { isUnfinished, makeFolderDurably, syncFolder, writeDurably, writePieces } from "./durable-file.ts";

/** The folder of uploads, below the data folder. */
const folder = "files";
/** Files that have come in part. */
const incomingFolder = "incoming";
/** Parts of a path: no dots alone, no hidden names, and nothing with a special meaning in any file system. */
const partPattern = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/;

/** @throws Error for a path that is not `part/part/…` of plain names */
function locate(dataDir: string, path: string): string {
  const parts = path.split("/");
  if (!parts.every((part) => partPattern.test(part))) throw new Error(`not a path of a stored file: ${path}`);
  return join(dataDir, folder, ...parts);
}

/** Where a file is on the disk, for another process that reads it. */
export function filePath(dataDir: string, path: string): string {
  return resolve(locate(dataDir, path));
}

/** Stores a file, replacing an older one. When this resolves it is on the disk. */
export async function putFile(dataDir: string, path: string, bytes: Uint8Array): Promise<void> {
  const target = locate(dataDir, path);
  await makeFolderDurably(dirname(target), 0o700);
  await writeDurably(target, bytes, { mode: 0o600 });
}

/** `putFile` for content that is read while it is written. */
export async function putFileInPieces(dataDir: string, path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const target = locate(dataDir, path);
  await makeFolderDurably(dirname(target), 0o700);
  await writeDurably(target, pieces, { mode: 0o600 });
}

/**
 * Writes more of a file that comes in parts, from `offset` on. However it ends, what has come is on the disk.
 *
 * @throws what `pieces` throws
 */
export async function appendToFile(
  dataDir: string,
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  offset: number,
): Promise<void> {
  const target = locate(dataDir, path);
  await makeFolderDurably(dirname(target), 0o700);
  const file = await open(target, constants.O_WRONLY | constants.O_CREAT, 0o600);
  let failure: unknown;
  const untilFailure = async function* (): AsyncGenerator<Uint8Array, void, void> {
    try {
      yield* pieces;
    } catch (error) {
      failure = error ?? new Error("the pieces ended");
    }
  };
  try {
    await writePieces(file, untilFailure(), offset);
    await file.sync();
  } finally {
    await file.close();
  }
  if (failure !== undefined) throw failure;
}

/** Gives a file that is whole its place. When this resolves it is there after a power cut too. */
export async function moveFile(dataDir: string, from: string, to: string): Promise<void> {
  const [source, target] = [locate(dataDir, from), locate(dataDir, to)];
  await makeFolderDurably(dirname(target), 0o700);
  await rename(source, target);
  for (const folder of [target, source]) await syncFolder(dirname(folder));
}

/** Paths of all files, in the form that `putFile` takes. */
export async function* listFiles(dataDir: string): AsyncGenerator<string> {
  const root = join(dataDir, folder);
  if ((await stat(root).catch(() => undefined)) === undefined) return;
  for await (const entry of await opendir(root, { recursive: true })) {
    const path = relative(root, join(entry.parentPath, entry.name));
    // Files that are being written, or have come in part, are not acknowledged yet.
    if (path.startsWith(`${incomingFolder}/`)) continue;
    if (entry.isFile() && !isUnfinished(entry.name) && path.split("/").every((part) => partPattern.test(part)))
      yield path;
  }
}

/** The files right in a folder of paths, in no order. */
export async function filesIn(
  dataDir: string,
  path: string,
): Promise<{ path: string; size: number; changedAtMs: number }[]> {
  const found: { path: string; size: number; changedAtMs: number }[] = [];
  const names = await readdir(locate(dataDir, path)).catch(() => []);
  for (const name of names.filter((one) => partPattern.test(one) && !isUnfinished(one))) {
    const about = await stat(locate(dataDir, `${path}/${name}`)).catch(() => undefined);
    if (about?.isFile()) found.push({ path: `${path}/${name}`, size: about.size, changedAtMs: about.mtimeMs });
  }
  return found;
}

/** Opens a file to be read once, from beginning to end. Undefined if there is none. */
export async function openFile(dataDir: string, path: string): Promise<AsyncIterable<Uint8Array> | undefined> {
  try {
    return (await open(locate(dataDir, path), "r")).createReadStream();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** The file's size, or undefined when there is none. */
export async function sizeOfFile(dataDir: string, path: string): Promise<number | undefined> {
  try {
    return (await stat(locate(dataDir, path))).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Fills `into` with bytes of a file from `offset` on. Returns how many they are, fewer at its end. It is opened for
 * each part, so a slow client holds no descriptor.
 */
export async function readFilePart(dataDir: string, path: string, offset: number, into: Uint8Array): Promise<number> {
  const file = await open(locate(dataDir, path), "r");
  try {
    return (await file.read(into, 0, into.length, offset)).bytesRead;
  } finally {
    await file.close();
  }
}

/** Removes a file, if it is there. */
export async function removeFile(dataDir: string, path: string): Promise<void> {
  await rm(locate(dataDir, path), { force: true });
}
