/** Files that are there whole or not at all, even after a power cut. What was acknowledged stays. */
import { randomBytes } from "node:crypto";
import { type FileHandle, link, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { firstOf } from "./failures.ts";

export interface DurableOptions {
  mode: number;
  /** The owner of the file. Absent: this process's account. */
  owner?: { uid: number; gid: number } | undefined;
  /** A file that is there already stays. */
  keepsOlder?: boolean;
}

/**
 * Writes a file, replacing an older one. It has a temporary name until its bytes are on the disk. When this resolves
 * the folder's entry is on the disk too. Readers see the old file or the new one.
 */
export async function writeDurably(
  path: string,
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
  { mode, owner, keepsOlder = false }: DurableOptions,
): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.part`;
  try {
    // `wx` follows no link, which matters where the folder belongs to an account with less rights than ours.
    const file = await open(temporary, "wx", mode);
    try {
      if (typeof content === "string" || content instanceof Uint8Array) await file.writeFile(content);
      else await writePieces(file, content);
      // The process's umask may have removed permissions.
      await file.chmod(mode);
      if (owner) await file.chown(owner.uid, owner.gid);
      await file.sync();
    } finally {
      await file.close();
    }
    if (keepsOlder) {
      await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
      });
      await rm(temporary);
    } else await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Pieces are written when they are so many bytes together: each write is a turn of another thread. */
const writtenBytes = 256 * 1024;

/** Writes pieces one after the other. No more are asked for until these are written. */
export async function writePieces(file: FileHandle, pieces: AsyncIterable<Uint8Array>, from = 0): Promise<void> {
  let at = from;
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    const all = waiting.length === 1 ? firstOf(waiting) : Buffer.concat(waiting, bytes);
    for (let done = 0; done < all.length; )
      done += (await file.write(all, done, all.length - done, at + done)).bytesWritten;
    at += bytes;
    waiting = [];
    bytes = 0;
  };
  for await (const piece of pieces) {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes >= writtenBytes) await flush();
  }
  if (bytes > 0) await flush();
}

/** Makes a folder and its missing parents, and syncs them to disk. */
export async function makeFolderDurably(path: string, mode: number): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode });
  if (first === undefined) return;
  for (let folder = path; folder !== dirname(first); folder = dirname(folder)) await syncFolder(dirname(folder));
}

/** Whether it is the name of an unfinished file of `writeDurably`. */
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
