/** Opens an archive of another program as a folder, which may be a tar file with or without gzip. Writes one, too. */
import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { create, extract } from "tar";
import { syncFolder } from "../durable-file.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export interface OpenedArchive {
  /** The folder with the content: the single top-level folder, if there is one. */
  folder: string;
  /** Removes what was unpacked. */
  close(): Promise<void>;
}

/**
 * Unpacks a tar file into a temporary folder. The file is not trusted: only plain files and folders are unpacked, and
 * nothing is written outside of that folder.
 *
 * @throws Error when it cannot be read
 */
export async function openArchive(path: string): Promise<OpenedArchive> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    (error: NodeJS.ErrnoException) => {
      throw new Error(error.code === "ENOENT" ? `There is no ${path}.` : `${path} cannot be read: ${error.message}`);
    },
  );
  if (isFolder) return { folder: path, close: async () => {} };
  if (await isZip(path)) throw new Error("This is a ZIP file: unpack it, and name the folder.");
  const { path: folder, remove: close } = temporaryFolder("parley-import-");
  try {
    await extract({
      file: path,
      cwd: folder,
      strict: true,
      filter: (_, entry) => !("type" in entry) || ["File", "OldFile", "Directory"].includes(entry.type),
    });
    const [only, ...others] = await readdir(folder, { withFileTypes: true });
    const isNested = only?.isDirectory() === true && others.length === 0;
    return { folder: isNested ? join(folder, only.name) : folder, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function isZip(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && buffer.toString("latin1") === "PK\x03\x04";
  } finally {
    await file.close();
  }
}

/** Packs a folder into a tar file with gzip, whole or not at all; only this process's account may read it. */
export async function packFolder(parent: string, name: string, path: string): Promise<void> {
  const unfinished = `${path}.part`;
  try {
    await create({ file: unfinished, cwd: parent, gzip: true, portable: true, mode: 0o600 }, [name]);
    const file = await open(unfinished, "r");
    try {
      await file.chmod(0o600);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
