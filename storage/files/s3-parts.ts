/**
 * Files that come in parts to an S3 store, by any node:
 *
 *     incoming/ID          the store's name of the multipart upload, once there is one
 *     incoming/ID.START    the bytes behind START that are no whole part yet
 *
 * Part N has the bytes from (N - 1) × `partBytesOf(size)` on and is as long, the last one excepted. So a node that was
 * given up and writes a part again changes nothing, and the parts that are there tell where to go on. A file that comes
 * within one part is put as a whole.
 */
import { type FileInParts, incomingFolder, type PartStore, piecesOf } from "./file-store.ts";
import { Multipart } from "./s3-multipart.ts";
import type { S3Objects } from "./s3-objects.ts";
import type { Spool } from "./spool.ts";

const mebibyte = 1024 * 1024;
const leastPartBytes = 8 * mebibyte;
const mostParts = 10_000;

/** Bytes of a part of a file of this size. */
const partBytesOf = (size: number): number =>
  Math.max(leastPartBytes, Math.ceil(size / mostParts / mebibyte) * mebibyte);

interface Come {
  upload: Multipart | undefined;
  /** Bytes in whole parts. */
  whole: number;
  /** Bytes behind them. */
  rest: number;
}

export class S3Parts implements PartStore {
  constructor(
    private readonly objects: S3Objects,
    private readonly spool: Spool,
  ) {}

  #state({ id }: FileInParts): string {
    return `${incomingFolder}/${id}`;
  }

  #rest(file: FileInParts, start: number): string {
    return `${this.#state(file)}.${start}`;
  }

  async come(file: FileInParts): Promise<number | undefined> {
    const come = await this.#come(file);
    return come === undefined ? this.objects.size(file.path) : come.whole + come.rest;
  }

  async #come(file: FileInParts): Promise<Come | undefined> {
    const id = (await this.objects.read(this.#state(file)))?.toString("utf8");
    const upload = id === undefined ? undefined : new Multipart(this.objects.connection, file.path, id);
    const parts = upload && (await upload.list());
    // The store knows no upload any more whose file has its place.
    if (upload && !parts) return undefined;
    const full = partBytesOf(file.size);
    let whole = 0;
    for (const { number, size } of parts ?? []) {
      const isWhole = size === Math.min(full, file.size - whole);
      if (number !== whole / full + 1 || !isWhole) break;
      whole += size;
    }
    const rest = whole < file.size ? await this.objects.size(this.#rest(file, whole)) : undefined;
    return upload === undefined && rest === undefined ? undefined : { upload, whole, rest: rest ?? 0 };
  }

  async append(file: FileInParts, pieces: AsyncIterable<Uint8Array>, offset: number): Promise<void> {
    const full = partBytesOf(file.size);
    const start = Math.floor(offset / full) * full;
    let upload = (await this.#come(file))?.upload;
    let failure: unknown;
    await this.spool.inParts(
      this.#from(file, start, offset, pieces),
      () => full,
      async (part, number) => {
        const begins = start + number * full;
        failure = part.failure;
        if (part.size === 0 && file.size > 0) return;
        const ends = begins + part.size;
        if (ends === file.size && begins === 0) {
          await this.objects.put(file.path, part);
          return this.#forget(file);
        }
        if (part.size < full && ends < file.size) return this.objects.put(this.#rest(file, begins), part);
        if (!upload) {
          upload = await Multipart.begin(this.objects.connection, file.path);
          await this.objects.put(this.#state(file), Buffer.from(upload.id));
        }
        await upload.put(begins / full + 1, part);
      },
    );
    if (failure !== undefined) throw failure;
  }

  /** What comes, behind those bytes before it that are no whole part yet. */
  async *#from(
    file: FileInParts,
    start: number,
    offset: number,
    pieces: AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array, void, void> {
    if (offset > start) {
      const before = await this.objects.open(this.#rest(file, start));
      if (before?.size !== offset - start) throw new Error(`the beginning of ${file.path} is not there any more`);
      yield* piecesOf(before);
    }
    yield* pieces;
  }

  async finish(file: FileInParts): Promise<void> {
    if ((await this.objects.size(file.path)) === undefined) await (await this.#come(file))?.upload?.complete();
    await this.#forget(file);
  }

  async drop(file: FileInParts): Promise<void> {
    await (await this.#come(file))?.upload?.abort();
    await this.#forget(file);
  }

  /** Its name goes last: it leads to the rest after a crash. */
  async #forget(file: FileInParts): Promise<void> {
    for await (const { path } of this.objects.list(`${this.#state(file)}.`)) await this.objects.remove(path);
    await this.objects.remove(this.#state(file));
  }
}
