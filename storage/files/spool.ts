/**
 * What goes to an object store waits on the disk until a part of it is whole: a slow client then holds no memory and no
 * connection to the store.
 */
import { createHash, randomBytes } from "node:crypto";
import { mkdir, open, opendir, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { writePieces } from "../durable-file.ts";

export interface SpooledPart {
  file: string;
  size: number;
  /** SHA-256 in hexadecimal digits. */
  hash: string;
  /** Whether the content ends with it. */
  isLast: boolean;
  /** What the content threw behind it. */
  failure?: unknown;
}

export class Spool {
  readonly #folder: string;

  /** @param dataDir the data folder */
  constructor(dataDir: string) {
    this.#folder = resolve(dataDir, "spool");
  }

  /** Has `act` use a name in the folder, whose file is removed afterwards. */
  async use<T>(act: (file: string) => Promise<T>): Promise<T> {
    const file = await this.newName();
    try {
      return await act(file);
    } finally {
      await rm(file, { force: true });
    }
  }

  async newName(): Promise<string> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    return join(this.#folder, randomBytes(12).toString("hex"));
  }

  /**
   * Has `act` take the content in parts, one after the other. Content that ends early still gives what came of it, and
   * is empty only as the one part that it has.
   *
   * @param partBytes size of a part by its number, from 0 on
   */
  async inParts(
    content: AsyncIterable<Uint8Array>,
    partBytes: (number: number) => number,
    act: (part: SpooledPart, number: number) => Promise<void>,
  ): Promise<void> {
    const pieces = content[Symbol.asyncIterator]();
    let waiting: Uint8Array | undefined;
    let isLast = false;
    try {
      for (let number = 0; !isLast; number++) {
        await this.use(async (file) => {
          const hash = createHash("sha256");
          let failure: unknown;
          let size = 0;
          async function* some(): AsyncGenerator<Uint8Array, void, void> {
            const most = partBytes(number);
            // One piece is read ahead, which tells whether this part is the last.
            for (;;) {
              if (waiting === undefined) {
                try {
                  const next = await pieces.next();
                  if (next.done) break;
                  waiting = next.value;
                } catch (error) {
                  failure = error ?? new Error("the content ended");
                  break;
                }
              }
              if (waiting.length === 0) waiting = undefined;
              else if (size === most) return;
              else {
                const piece = waiting.subarray(0, most - size);
                waiting = piece.length < waiting.length ? waiting.subarray(piece.length) : undefined;
                size += piece.length;
                hash.update(piece);
                yield piece;
              }
            }
            isLast = true;
          }
          const handle = await open(file, "wx", 0o600);
          try {
            await writePieces(handle, some());
          } finally {
            await handle.close();
          }
          await act({ file, size, hash: hash.digest("hex"), isLast, failure }, number);
        });
      }
    } finally {
      if (!isLast) await pieces.return?.(undefined);
    }
  }

  /** Removes what processes that were killed have left. */
  async sweep(olderThanMs: number): Promise<void> {
    const folder = await opendir(this.#folder).catch(() => undefined);
    if (!folder) return;
    for await (const { name } of folder) {
      const file = join(this.#folder, name);
      const about = await stat(file).catch(() => undefined);
      if (about && Date.now() - about.mtimeMs > olderThanMs) await rm(file, { recursive: true, force: true });
    }
  }
}
