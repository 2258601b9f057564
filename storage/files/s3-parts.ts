/**
 * Files that come in parts to an S3 store, by any node:
 *
 *     incoming/ID          the store's name of the multipart upload, once there is one
 *     incoming/ID.START    the bytes behind START that are no whole part yet
 *     incoming/ID.whole    when the store was asked to put it together (UNIX ms)
 *
 * Part N has the bytes from (N - 1) × `partBytesOf(size)` on and is as long, the last one excepted. So a node that was
 * given up and writes a part again changes nothing, and the parts that are there tell where to go on. A file that comes
 * within one part is put as a whole.
 *
 * A store may take minutes to put a file together, and some know the parts no more meanwhile. Then only `.whole` tells
 * such a file from one whose parts the store has thrown away.
 */
import { BeingPutTogether } from "../failures.ts";
import { type FileInParts, incomingFolder, type PartStore, piecesOf } from "./file-store.ts";
import { Multipart } from "./s3-multipart.ts";
import type { S3Objects } from "./s3-objects.ts";
import type { Spool } from "./spool.ts";

const mebibyte = 1024 * 1024;
const leastPartBytes = 8 * mebibyte;
const mostParts = 10_000;
/** A store that has no file after so long has failed to put it together. */
const togetherWithinMs = 600_000;

/** Bytes of a part of a file of this size. */
const partBytesOf = (size: number): number =>
  Math.max(leastPartBytes, Math.ceil(size / mostParts / mebibyte) * mebibyte);

/** The store does not know the upload any more: the file has its place, or gets it, or is lost. */
const gone = "gone";

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

  /** What says when the store was asked to put it together. */
  #together(file: FileInParts): string {
    return `${this.#state(file)}.whole`;
  }

  async come(file: FileInParts): Promise<number | undefined> {
    const come = await this.#come(file);
    if (come !== undefined && come !== gone) return come.whole + come.rest;
    // The mark goes when the file is there, so it is looked for before that.
    const isSoonThere = come === gone && (await this.#isBeingPutTogether(file));
    return (await this.objects.size(file.path)) ?? (isSoonThere ? file.size : undefined);
  }

  async #isBeingPutTogether(file: FileInParts): Promise<boolean> {
    const since = Number((await this.objects.read(this.#together(file)))?.toString("utf8"));
    return Date.now() - since < togetherWithinMs;
  }

  async #come(file: FileInParts): Promise<Come | typeof gone | undefined> {
    const id = (await this.objects.read(this.#state(file)))?.toString("utf8");
    const upload = id === undefined ? undefined : new Multipart(this.objects.connection, file.path, id);
    const parts = upload && (await upload.list());
    if (upload && !parts) return gone;
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
    let upload = await this.#upload(file);
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
    if ((await this.objects.size(file.path)) === undefined) await this.#putTogether(file);
    await this.#forget(file);
  }

  /** @throws BeingPutTogether while the store is still at it, asked by this node or another */
  async #putTogether(file: FileInParts): Promise<void> {
    const upload = await this.#upload(file);
    let failure: unknown;
    if (upload) {
      await this.objects.put(this.#together(file), Buffer.from(String(Date.now())));
      await upload.complete().catch((error: unknown) => (failure = error));
    }
    // Whoever asks second is told of success at once.
    if ((await this.objects.size(file.path)) !== undefined) return;
    if ((await this.#come(file)) !== gone && failure !== undefined) throw failure;
    throw new BeingPutTogether("The object store is still putting the file together.");
  }

  async #upload(file: FileInParts): Promise<Multipart | undefined> {
    const come = await this.#come(file);
    return come === gone ? undefined : come?.upload;
  }

  /** @throws BeingPutTogether */
  async drop(file: FileInParts): Promise<void> {
    const come = await this.#come(file);
    if (come === gone && (await this.#isBeingPutTogether(file)) && (await this.objects.size(file.path)) === undefined)
      throw new BeingPutTogether("The object store is still putting the file together.");
    if (come !== gone) await come?.upload?.abort();
    await this.#forget(file);
  }

  /** Its name goes last: it leads to the rest after a crash. */
  async #forget(file: FileInParts): Promise<void> {
    for await (const { path } of this.objects.list(`${this.#state(file)}.`)) await this.objects.remove(path);
    await this.objects.remove(this.#state(file));
  }
}
