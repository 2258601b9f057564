/** Files that are there whole, or not at all, also after the power went: what was acknowledged stays. */
import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

export interface DurableOptions {
  mode: number;
  /** The owner of the file; this process's account when absent. */
  owner?: { uid: number; gid: number } | undefined;
}

/**
 * Writes a file, replacing an older one. It has another name until its bytes are on the disk, and when this resolves
 * the folder's entry is there too. Readers see the old file or the new one.
 */
export async function writeDurably(
  path: string,
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
  { mode, owner }: DurableOptions,
): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.part`;
  try {
    // `wx` follows no link, which matters where the folder belongs to an account with less rights than ours.
    const file = await open(temporary, "wx", mode);
    try {
      await writeFile(file, content);
      // The process's mask may have taken rights away.
      await file.chmod(mode);
      if (owner) await file.chown(owner.uid, owner.gid);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Makes a folder and those above it that are missing, and has the disk know of them. */
export async function makeFolderDurably(path: string, mode: number): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode });
  if (first === undefined) return;
  for (let folder = path; folder !== dirname(first); folder = dirname(folder)) await syncFolder(dirname(folder));
}

/** Whether that is the name of a file that `writeDurably` has not finished. */
export const isUnfinished = (name: string): boolean => /\.[0-9a-f]{12}\.part$/.test(name);

/** Removes the temporary files that interrupted writes of this file have left. */
export async function removeUnfinished(path: string): Promise<void> {
  const folder = dirname(path);
  for (const name of await readdir(folder)) {
    if (name.startsWith(`${basename(path)}.`) && isUnfinished(name)) await rm(join(folder, name), { force: true });
  }
}

/** Syncs a folder to disk, after a file in it was made, renamed or removed. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
