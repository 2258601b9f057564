/**
 * Bytes that people upload, in one folder. A file is written whole under a temporary name and then renamed, so a reader
 * sees all of it or nothing. Paths are chosen by the server; one that could leave the folder is a bug and throws.
 */
import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

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

/** Stores a file, replacing an older one. */
export async function putFile(dataDir: string, path: string, bytes: Uint8Array): Promise<void> {
  const target = locate(dataDir, path);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const temporary = `${target}.${randomBytes(6).toString("hex")}.part`;
  try {
    await writeFile(temporary, bytes, { mode: 0o600 });
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** The file's bytes, or undefined when there is none. */
export async function getFile(dataDir: string, path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(locate(dataDir, path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Removes a file; one that is not there is as good as removed. */
export async function removeFile(dataDir: string, path: string): Promise<void> {
  await rm(locate(dataDir, path), { force: true });
}
