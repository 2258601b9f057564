/**
 * Where files are kept: what people upload, pictures, exports. A file is there whole or not at all, and what `put` has
 * acknowledged outlives a power cut. The server chooses the paths. A path that could leave the store is a bug, and
 * throws.
 */

/** Parts of a path: no dots alone, no hidden names, and nothing with a special meaning in any file system. */
const partPattern = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/;

/** Whether it is `part/part/…` of plain names. */
export const isPlainPath = (path: string): boolean => path.split("/").every((part) => partPattern.test(part));

/** The path itself. @throws Error for one that is not `part/part/…` of plain names */
export function checkPath(path: string): string {
  if (!isPlainPath(path)) throw new Error(`not a path of a stored file: ${path}`);
  return path;
}

/** Files that have come in part. */
export const incomingFolder = "incoming";

export interface StoredFile {
  path: string;
  /** Bytes. */
  size: number;
  /** UNIX milliseconds */
  changedAtMs: number;
}

/** A file that is read in pieces, in any order. It holds no descriptor and no connection between two of them. */
export interface OpenedFile {
  size: number;
  /**
   * Fills `into` from `offset` on. Returns how many bytes it got, fewer at the end.
   *
   * @throws ENOENT, FilesUnavailable
   */
  read(offset: number, into: Uint8Array): Promise<number>;
}

/** A file that comes in parts, by several requests and maybe to several nodes. */
export interface FileInParts {
  /** Nobody can guess it. */
  id: string;
  /** Its path when all of it has come. */
  path: string;
  /** Bytes of the whole. */
  size: number;
}

/** Headers of the store's answer to an address that it was given by. */
export interface AnswerHeaders {
  type: string;
  disposition: string;
  caching: string;
}

/** All may throw FilesUnavailable. */
export interface FileStore {
  /** Where the addresses of `addressOf` lead to. Undefined: it gives none. */
  readonly addressOrigin: string | undefined;
  /**
   * An address by which anybody reads a file for a while, parts of it too. It stays the same for some time, for caches.
   * Undefined where there is no file, or no such address.
   */
  addressOf(path: string, answer: AnswerHeaders): Promise<string | undefined>;
  /** Stores a file, replacing an older one. @throws what the content throws; then nothing is stored */
  put(path: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>;
  /** Undefined when there is none. */
  open(path: string): Promise<OpenedFile | undefined>;
  /** Bytes of a file; undefined when there is none. */
  size(path: string): Promise<number | undefined>;
  /** Removes a file, if it is there. */
  remove(path: string): Promise<void>;
  /** The files below a folder, without those that have come in part; in no order. */
  list(folder?: string): AsyncIterable<StoredFile>;
  readonly parts: PartStore;
  /** Copies a file to the disk. False when there is none. */
  copyTo(path: string, target: string): Promise<boolean>;
  /** Has `act` read a file of the disk, for another process say. There is none where the store has none. */
  onDisk<T>(path: string, act: (file: string) => Promise<T>): Promise<T>;
  /** Has `act` write a file on the disk, and keeps that. */
  putFromDisk<T>(path: string, act: (file: string) => Promise<T>): Promise<T>;
  /** Removes what processes that were killed have left: what was being written, or came in part a week ago. */
  sweep(): Promise<void>;
}

export interface PartStore {
  /** Bytes that have come of a file: all of them where it has, or soon gets, its place; undefined before the first. */
  come(file: FileInParts): Promise<number | undefined>;
  /**
   * Takes more of a file, from `offset` on, where the bytes before end. However it ends, what has come is stored.
   *
   * @throws what `pieces` throws
   */
  append(file: FileInParts, pieces: AsyncIterable<Uint8Array>, offset: number): Promise<void>;
  /** Gives a file that is whole its place, unless it has it. @throws BeingPutTogether where that takes longer */
  finish(file: FileInParts): Promise<void>;
  /** Gives up what has come of a file. @throws BeingPutTogether */
  drop(file: FileInParts): Promise<void>;
}

/** Whoever goes on with a file that came in part does so within a day. */
export const partsKeptMs = 7 * 86_400_000;
/** What is being written for longer is written by nobody. */
export const writtenWithinMs = 86_400_000;

const pieceBytes = 256 * 1024;

/** All of a file, from beginning to end. */
export async function* piecesOf({ size, read }: OpenedFile): AsyncGenerator<Uint8Array, void, void> {
  for (let at = 0; at < size; ) {
    const piece = new Uint8Array(Math.min(pieceBytes, size - at));
    const count = await read(at, piece);
    if (count === 0) throw new Error("the file is shorter than it was");
    yield piece.subarray(0, count);
    at += count;
  }
}
