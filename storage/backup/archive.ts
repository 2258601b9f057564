/**
 * The format of a backup: a gzip stream of frames, so that writing and reading hold only one frame in memory.
 *
 *     frame     kind (1 byte), length of what follows (4 bytes, big-endian, at most 1 MiB), bytes
 *     archive   H, sections, Z
 *     section   B, any number of D, E
 *
 * H holds `ArchiveHeader`, B a section's own object, Z `{"sections": n}`, all JSON. D holds a piece of the section's
 * data, and E the SHA-256 of all of it. So a reader knows that each section is whole, and by Z that none is missing.
 */
import { createHash } from "node:crypto";

/** Increased when an older Parley cannot read what a newer one writes. */
export const archiveFormat = 1;

export interface ArchiveHeader {
  format: number;
  /** ISO 8601, for people. */
  made_at: string;
  /** Which migrations the database had seen. */
  migrations: string[];
}

/** What one section holds. */
export type SectionMeta =
  /** Rows of a table, in PostgreSQL's text form of COPY, of these columns. */
  | { kind: "table"; name: string; columns: string[] }
  /** The next values of sequences: a JSON object. */
  | { kind: "sequences" }
  /** An uploaded file. */
  | { kind: "file"; path: string };

export interface SectionToWrite {
  meta: SectionMeta;
  data: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

export interface Section {
  meta: SectionMeta;
  /**
   * Must be read to its end before the next section is asked for.
   * @throws DamagedArchive at its end, if it is not whole
   */
  data: AsyncIterable<Uint8Array>;
}

/** It is no backup, is cut off, or was changed. */
export class DamagedArchive extends Error {
  override name = "DamagedArchive";
}

const maxFrameBytes = 1024 * 1024;
/** Rows are gathered into pieces of this size. */
const pieceBytes = 64 * 1024;

function frame(kind: string, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.write(kind, 0, "latin1");
  head.writeUInt32BE(payload.length, 1);
  return Buffer.concat([head, payload]);
}
const json = (kind: string, value: object): Buffer => frame(kind, Buffer.from(JSON.stringify(value)));

/** The bytes of an archive, before they are compressed. */
export async function* writeArchive(
  header: Omit<ArchiveHeader, "format">,
  sections: AsyncIterable<SectionToWrite>,
): AsyncGenerator<Uint8Array> {
  yield json("H", { format: archiveFormat, ...header });
  let count = 0;
  for await (const { meta, data } of sections) {
    yield json("B", meta);
    const hash = createHash("sha256");
    let gathered: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of data) {
      hash.update(chunk);
      for (let from = 0; from < chunk.length; from += pieceBytes) {
        const piece = chunk.subarray(from, from + pieceBytes);
        gathered.push(piece);
        size += piece.length;
        if (size < pieceBytes) continue;
        yield frame("D", Buffer.concat(gathered));
        gathered = [];
        size = 0;
      }
    }
    if (size > 0) yield frame("D", Buffer.concat(gathered));
    yield frame("E", hash.digest());
    count++;
  }
  yield json("Z", { sections: count });
}

interface Frame {
  kind: string;
  payload: Buffer;
}

/** Reads the sections of an archive. */
export class ArchiveReader {
  readonly #frames: AsyncGenerator<Frame>;
  #count = 0;

  /** @param bytes of the archive, no longer compressed */
  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#frames = framesOf(bytes);
  }

  /** Comes first. @throws DamagedArchive, or Error for one that a newer Parley made */
  async header(): Promise<ArchiveHeader> {
    const header = parse<ArchiveHeader>(await this.#next("H"));
    if (!(header.format <= archiveFormat))
      throw new Error("A newer Parley made this backup: restore it with that one.");
    return header;
  }

  /** @throws DamagedArchive when the archive has no proper end, or a section is not whole */
  async *sections(): AsyncGenerator<Section> {
    for (;;) {
      const next = await this.#next("B", "Z");
      if (next.kind === "Z") {
        if (parse<{ sections: number }>(next).sections === this.#count) return;
        throw new DamagedArchive("The backup is damaged: parts of it are missing.");
      }
      const meta = parse<SectionMeta>(next);
      this.#count++;
      yield { meta, data: this.#data(meta) };
    }
  }

  async *#data(meta: SectionMeta): AsyncGenerator<Uint8Array> {
    const hash = createHash("sha256");
    for (;;) {
      const { kind, payload } = await this.#next("D", "E");
      if (kind === "D") {
        hash.update(payload);
        yield payload;
      } else if (hash.digest().equals(payload)) return;
      else throw new DamagedArchive(`The backup is damaged: ${nameOf(meta)} is not what was written.`);
    }
  }

  async #next(...kinds: string[]): Promise<Frame> {
    const { value, done } = await this.#frames.next();
    if (!done && kinds.includes(value.kind)) return value;
    throw new DamagedArchive(
      done ? "The backup is damaged: it ends too early." : "This is no backup, or it is damaged.",
    );
  }
}

function nameOf(meta: SectionMeta): string {
  return meta.kind === "table" ? `table ${meta.name}` : meta.kind === "file" ? `file ${meta.path}` : meta.kind;
}

function parse<T>({ payload }: Frame): T {
  try {
    return JSON.parse(payload.toString("utf8")) as T;
  } catch {
    throw new DamagedArchive("This is no backup, or it is damaged.");
  }
}

async function* framesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes) {
    held = held.length === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk]);
    let at = 0;
    while (held.length - at >= 5) {
      const length = held.readUInt32BE(at + 1);
      if (length > maxFrameBytes) throw new DamagedArchive("This is no backup, or it is damaged.");
      if (held.length - at - 5 < length) break;
      yield { kind: held.toString("latin1", at, at + 1), payload: held.subarray(at + 5, at + 5 + length) };
      at += 5 + length;
    }
    held = held.subarray(at);
  }
  if (held.length > 0) throw new DamagedArchive("The backup is damaged: it ends too early.");
}
