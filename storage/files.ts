/**
 * Bytes that people upload, in one folder. A file is written whole under a temporary name, brought to the disk and then
 * renamed, so a reader sees all of it or nothing, and what was acknowledged outlives a power cut. Paths are chosen by
 * the server; one that could leave the folder is a bug and throws.
 */
import { open, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolderDurably, writeDurably } from "./durable-file.ts";

/** Where uploads are below the data folder. */
const folder = "files";
/** Parts of a path: no dots alone, nothing hidden, nothing that any file system takes for more than a name. */
const partPattern = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/;

/** @throws Error for a path that is not `part/part/…` of plain names */
function locate(dataDir: string, path: string): string {
  const parts = path.split("/");
  if (!parts.every((part) => partPattern.test(part))) throw new Error(`not a path of a stored file: ${path}`);
  return join(dataDir, folder, ...parts);
}

/** Stores a file, replacing an older one. It is on the disk when this resolves. */
export async function putFile(dataDir: string, path: string, bytes: Uint8Array): Promise<void> {
  const target = locate(dataDir, path);
  await makeFolderDurably(dirname(target), 0o700);
  await writeDurably(target, bytes, { mode: 0o600 });
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
 * Up to `length` bytes of a file from `offset` on; fewer at its end. It is opened for each part: a client that takes
 * its time holds no descriptor.
 */
export async function readFilePart(dataDir: string, path: string, offset: number, length: number): Promise<Uint8Array> {
  const file = await open(locate(dataDir, path), "r");
  try {
    const buffer = Buffer.allocUnsafe(length);
    const { bytesRead } = await file.read(buffer, 0, length, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Removes a file; one that is not there is as good as removed. */
export async function removeFile(dataDir: string, path: string): Promise<void> {
  await rm(locate(dataDir, path), { force: true });
}
