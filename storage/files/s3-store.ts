/** Files in a bucket of an S3 store, which all nodes share. What is under way lies on the disk meanwhile. */
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import {
  type AnswerHeaders,
  checkPath,
  type FileStore,
  incomingFolder,
  type OpenedFile,
  partsKeptMs,
  piecesOf,
  type StoredFile,
  writtenWithinMs,
} from "./file-store.ts";
import { S3Connection, type S3Settings } from "./s3-connection.ts";
import { Multipart } from "./s3-multipart.ts";
import { S3Objects } from "./s3-objects.ts";
import { S3Parts } from "./s3-parts.ts";
import { Spool } from "./spool.ts";

const mebibyte = 1024 * 1024;
/** Large enough that a file of a few MiB is one request, small enough that many may wait on a disk. */
const firstPartBytes = 8 * mebibyte;
/** A store takes 10,000 parts: they grow so often that a file may have hundreds of GiB. */
const partsOfOneSize = 1000;
const partBytes = (number: number): number => firstPartBytes * (1 + Math.floor(number / partsOfOneSize));

export class S3Store implements FileStore {
  readonly parts: S3Parts;
  readonly #objects: S3Objects;
  readonly #spool: Spool;
  /** Files that are on the disk for somebody, and for how many. */
  readonly #fetched = new Map<string, { file: Promise<string>; users: number }>();

  constructor(settings: S3Settings, dataDir: string) {
    this.#objects = new S3Objects(new S3Connection(settings));
    this.#spool = new Spool(dataDir);
    this.parts = new S3Parts(this.#objects, this.#spool);
  }

  async put(path: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
    if (content instanceof Uint8Array) return this.#objects.put(path, content);
    let upload: Multipart | undefined;
    try {
      await this.#spool.inParts(content, partBytes, async (part, number) => {
        if (part.failure !== undefined) throw part.failure;
        if (number === 0 && part.isLast) return this.#objects.put(path, part);
        upload ??= await Multipart.begin(this.#objects.connection, path);
        await upload.put(number + 1, part);
      });
      await upload?.complete();
    } catch (error) {
      // What is not ended is found by the bucket's own rules for incomplete uploads.
      await upload?.abort().catch(() => {});
      throw error;
    }
  }

  get addressOrigin(): string | undefined {
    const { settings, publicOrigin } = this.#objects.connection;
    return settings.addressSecs === undefined ? undefined : publicOrigin;
  }

  async addressOf(path: string, { type, disposition, caching }: AnswerHeaders): Promise<string | undefined> {
    const { connection } = this.#objects;
    const { addressSecs: secs } = connection.settings;
    if (secs === undefined || (await this.size(path)) === undefined) return undefined;
    const query = {
      "response-content-type": type,
      "response-content-disposition": disposition,
      "response-cache-control": caching,
    };
    // An address that is given at the end of a step still works for as long as a step.
    const stepMs = secs * 500;
    return connection.addressOf(checkPath(path), query, secs, new Date(Math.floor(Date.now() / stepMs) * stepMs));
  }

  open(path: string): Promise<OpenedFile | undefined> {
    return this.#objects.open(path);
  }

  size(path: string): Promise<number | undefined> {
    return this.#objects.size(path);
  }

  remove(path: string): Promise<void> {
    return this.#objects.remove(path);
  }

  async *list(folder?: string): AsyncGenerator<StoredFile, void, void> {
    for await (const file of this.#objects.list(folder === undefined ? "" : `${checkPath(folder)}/`))
      if (!file.path.startsWith(`${incomingFolder}/`)) yield file;
  }

  async copyTo(path: string, target: string): Promise<boolean> {
    const file = await this.open(path);
    if (!file) return false;
    await mkdir(dirname(target), { recursive: true });
    await pipeline(piecesOf(file), createWriteStream(target, { flags: "w", mode: 0o600 }));
    return true;
  }

  /** Whoever asks for the same file meanwhile gets the same copy. */
  async onDisk<T>(path: string, act: (file: string) => Promise<T>): Promise<T> {
    let fetched = this.#fetched.get(path);
    if (!fetched) {
      fetched = { file: this.#fetch(path), users: 0 };
      this.#fetched.set(path, fetched);
    }
    fetched.users++;
    try {
      return await act(await fetched.file);
    } finally {
      if (--fetched.users === 0) {
        this.#fetched.delete(path);
        const file = await fetched.file.catch(() => undefined);
        if (file !== undefined) await rm(file, { force: true });
      }
    }
  }

  async #fetch(path: string): Promise<string> {
    const file = await this.#spool.newName();
    try {
      await this.copyTo(path, file);
      return file;
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    }
  }

  async putFromDisk<T>(path: string, act: (file: string) => Promise<T>): Promise<T> {
    return this.#spool.use(async (file) => {
      const result = await act(file);
      await this.put(path, createReadStream(file));
      return result;
    });
  }

  async sweep(): Promise<void> {
    await this.#spool.sweep(writtenWithinMs);
    // The multipart uploads behind them end by the bucket's own rules.
    for await (const { path, changedAtMs } of this.#objects.list(`${incomingFolder}/`))
      if (Date.now() - changedAtMs > partsKeptMs) await this.#objects.remove(path);
  }
}
