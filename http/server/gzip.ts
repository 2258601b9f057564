/**
 * Compressed answers. A large one is made of pieces that nearly everybody shares: each is compressed once, and what
 * every client gets is put together from those. Compressed data that ends with a full flush may be followed by other
 * such data, and the check sum of the whole follows from those of the pieces and their lengths.
 * https://www.rfc-editor.org/rfc/rfc1952
 *
 * Each piece is compressed by itself, so nothing in one refers to another. Secrets are pieces that are not compressed
 * at all: their length tells nothing about what stands beside them.
 *
 * The work is done by Node's pool of threads; what is small is done at once, which costs less than handing it over.
 */
import { promisify } from "node:util";
import { constants, crc32, deflateRaw, deflateRawSync, gzip } from "node:zlib";
import type { AnswerPart } from "../../actors/text/json-text.ts";

/** Answers below this are sent as they are: few packets are saved. */
export const minCompressedBytes = 4 * 1024;
/**
 * Pieces from here on are kept compressed, as long as they live themselves. Those below may share a buffer with others.
 */
const minKeptBytes = 8 * 1024;
/** Up to here compressing takes a fraction of a millisecond. */
const atOnceBytes = 16 * 1024;

/** Answers are made for one client each: quickly. What is kept is made once: thoroughly. */
const quickly = { level: 1, finishFlush: constants.Z_FULL_FLUSH };
const thoroughly = { level: 6, finishFlush: constants.Z_FULL_FLUSH };
const untouched = { level: 0, finishFlush: constants.Z_FULL_FLUSH };

const deflate = promisify(deflateRaw) as (bytes: Uint8Array, options: typeof quickly) => Promise<Buffer>;
const gzipWhole = promisify(gzip) as (bytes: Uint8Array, options: { level: number }) => Promise<Buffer>;

/** Compresses an answer that is one text. */
export const compressed = (body: Uint8Array): Promise<Buffer> => gzipWhole(body, { level: quickly.level });

interface Deflated {
  bytes: Uint8Array;
  length: number;
  crc: number;
  /** What a check sum is multiplied by when so many bytes follow. */
  shift: number;
}

const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** Headers of an answer that is compressed. */
export const gzipped = [
  ["Content-Encoding", "gzip"],
  ["Vary", "Accept-Encoding"],
] satisfies [string, string][];

/** An empty last block. */
const lastBlock = Buffer.from([3, 0]);

export class Gzip {
  /** By the memory that a piece has to itself, and the place in it. */
  readonly #kept = new WeakMap<ArrayBufferLike, Map<string, Promise<Deflated>>>();

  /** One gzip file of all parts, in pieces. */
  async compress(parts: readonly AnswerPart[]): Promise<Uint8Array[]> {
    const deflated = await Promise.all(parts.map((part) => this.#deflated(part)));
    let crc = 0;
    let length = 0;
    for (const piece of deflated) {
      crc = (multiply(piece.shift, crc) ^ piece.crc) >>> 0;
      length += piece.length;
    }
    const tail = Buffer.alloc(8);
    tail.writeUInt32LE(crc, 0);
    tail.writeUInt32LE(length % 2 ** 32, 4);
    return [head, ...deflated.map(({ bytes }) => bytes), lastBlock, tail];
  }

  #deflated({ bytes, kind }: AnswerPart): Deflated | Promise<Deflated> {
    if (kind === "secret") return deflated(bytes, deflateRawSync(bytes, untouched));
    if (kind === "shared" && bytes.length >= minKeptBytes) return this.#keep(bytes);
    if (bytes.length <= atOnceBytes) return deflated(bytes, deflateRawSync(bytes, quickly));
    return deflate(bytes, quickly).then((made) => deflated(bytes, made));
  }

  #keep(bytes: Uint8Array): Promise<Deflated> {
    let places = this.#kept.get(bytes.buffer);
    if (!places) this.#kept.set(bytes.buffer, (places = new Map()));
    const place = `${bytes.byteOffset} ${bytes.length}`;
    let kept = places.get(place);
    if (!kept) {
      kept = deflate(bytes, thoroughly).then((made) => deflated(bytes, Uint8Array.from(made)));
      places.set(place, kept);
      kept.catch(() => places.delete(place));
    }
    return kept;
  }
}

const deflated = (bytes: Uint8Array, made: Uint8Array): Deflated => ({
  bytes: made,
  length: bytes.length,
  crc: crc32(bytes),
  shift: shiftBy(bytes.length),
});

/** The polynomial of CRC-32, lowest power in the highest bit, as all its values here. */
const polynomial = 0xedb88320;

/** The product of two polynomials, modulo that one. */
function multiply(a: number, b: number): number {
  let product = 0;
  let power = b;
  for (let bit = 31; bit >= 0; bit--) {
    if ((a >>> bit) & 1) product ^= power;
    power = power & 1 ? (power >>> 1) ^ polynomial : power >>> 1;
  }
  return product >>> 0;
}

/** x to the power of 8 × `length`: what so many bytes of zeros do to a check sum. */
function shiftBy(length: number): number {
  let power = 0x80000000;
  let square = 0x00800000;
  for (let rest = length; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = multiply(square, power);
    square = multiply(square, square);
  }
  return power;
}
