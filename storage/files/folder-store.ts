/**
 * Files in a folder of the disk. A file is written under a temporary name, synced to disk and renamed. Nodes that share
 * the folder share the files.
 */
import { constants } from "node:fs";
import { copyFile, link, mkdir, open, opendir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { isUnfinished, makeFolderDurably, syncFolder, writeDurably, writePieces } from "../durable-file.ts";
import { codeOf } from "../failures.ts";
import {
  checkPath,
  type FileInParts,
  type FileStore,
  incomingFolder,
  isPlainPath,
  type OpenedFile,
  type PartStore,
  partsKeptMs,
  type StoredFile,
  writtenWithinMs,
} from "./file-store.ts";

/** The folder of uploads, below the data folder. */
const folder = "files";

export class FolderStore implements FileStore {
  readonly addressOrigin = undefined;
  readonly #root: string;
  readonly parts: PartStore;

  /** @param dataDir the data folder, made when the first file comes */
  constructor(dataDir: string) {
    this.#root = resolve(dataDir, folder);
    this.parts = new FolderParts(this);
  }

  /** Where a file is on the disk. @throws Error for a path that is not `part/part/…` of plain names */
  locate(path: string): string {
    return join(this.#root, checkPath(path));
  }

  async put(path: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
    const target = this.locate(path);
    await makeFolderDurably(dirname(target), 0o700);
    await writeDurably(target, content, { mode: 0o600 });
  }

  addressOf(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async open(path: string): Promise<OpenedFile | undefined> {
    const size = await this.size(path);
    return size === undefined ? undefined : { size, read: (offset, into) => this.#read(path, offset, into) };
  }

  /** The file is opened for each part, so a slow client holds no descriptor. */
  async #read(path: string, offset: number, into: Uint8Array): Promise<number> {
    const file = await open(this.locate(path), "r");
    try {
      return (await file.read(into, 0, into.length, offset)).bytesRead;
    } finally {
      await file.close();
    }
  }

  async size(path: string): Promise<number | undefined> {
    return (await unlessAbsent(stat(this.locate(path))))?.size;
  }

  async remove(path: string): Promise<void> {
    await rm(this.locate(path), { force: true });
  }

  async *list(below?: string): AsyncGenerator<StoredFile, void, void> {
    const root = below === undefined ? this.#root : this.locate(below);
    if ((await stat(root).catch(() => undefined)) === undefined) return;
    for await (const entry of await opendir(root, { recursive: true })) {
      const path = relative(this.#root, join(entry.parentPath, entry.name));
      // Files that are being written, or have come in part, are not acknowledged yet.
      if (path.startsWith(`${incomingFolder}/`) || !entry.isFile() || isUnfinished(entry.name) || !isPlainPath(path))
        continue;
      const about = await unlessAbsent(stat(this.locate(path)));
      if (about) yield { path, size: about.size, changedAtMs: about.mtimeMs };
    }
  }

  /** Another name of the same bytes where the file system can. It stays although the file is removed meanwhile. */
  async copyTo(path: string, target: string): Promise<boolean> {
    const stored = this.locate(path);
    await mkdir(dirname(target), { recursive: true });
    try {
      await link(stored, target);
      return true;
    } catch (error) {
      const code = codeOf(error);
      if (code === "ENOENT") return false;
      if (code === "EEXIST") return true;
    }
    return (await unlessAbsent(copyFile(stored, target).then(() => true))) ?? false;
  }

  onDisk<T>(path: string, act: (file: string) => Promise<T>): Promise<T> {
    return act(this.locate(path));
  }

  async putFromDisk<T>(path: string, act: (file: string) => Promise<T>): Promise<T> {
    const target = this.locate(path);
    await makeFolderDurably(dirname(target), 0o700);
    return act(target);
  }

  async sweep(): Promise<void> {
    if ((await unlessAbsent(stat(this.#root))) === undefined) return;
    for await (const entry of await opendir(this.#root, { recursive: true })) {
      const isInPart = entry.parentPath === join(this.#root, incomingFolder);
      if (!entry.isFile() || !(isInPart || isUnfinished(entry.name))) continue;
      const file = join(entry.parentPath, entry.name);
      const about = await unlessAbsent(stat(file));
      const age = about ? Date.now() - about.mtimeMs : 0;
      if (age > (isUnfinished(entry.name) ? writtenWithinMs : partsKeptMs)) await rm(file, { force: true });
    }
  }
}

/** A file that comes in parts is one of `incoming/`, and moves when it is whole. */
class FolderParts implements PartStore {
  constructor(private readonly folder: FolderStore) {}

  #place({ id }: FileInParts): string {
    return this.folder.locate(`${incomingFolder}/${id}`);
  }

  async come(file: FileInParts): Promise<number | undefined> {
    const begun = await unlessAbsent(stat(this.#place(file)));
    return begun?.size ?? this.folder.size(file.path);
  }

  async append(part: FileInParts, pieces: AsyncIterable<Uint8Array>, offset: number): Promise<void> {
    const target = this.#place(part);
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

  async finish(file: FileInParts): Promise<void> {
    if ((await this.folder.size(file.path)) !== undefined) return;
    const [source, target] = [this.#place(file), this.folder.locate(file.path)];
    await makeFolderDurably(dirname(target), 0o700);
    await rename(source, target).catch(async (error: unknown) => {
      // Another node may have done it.
      if ((await this.folder.size(file.path)) === undefined) throw error;
    });
    for (const changed of [target, source]) await syncFolder(dirname(changed));
  }

  async drop(file: FileInParts): Promise<void> {
    await rm(this.#place(file), { force: true });
  }
}

/** What a promise resolves to; undefined where there is no such file. */
async function unlessAbsent<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
