/**
 * Compressed answers. A large one consists of pieces that nearly everybody shares. Each piece is compressed once, and
 * each answer is put together from compressed pieces. Compressed data that ends with a full flush may be followed by
 * other such data. The check sum of the whole follows from the pieces' check sums and lengths.
 * https://www.rfc-editor.org/rfc/rfc1952
 *
 * Each piece is compressed by itself, so none refers to another. Secrets are pieces that are not compressed at all, so
 * the length tells nothing about them. Nor are a few characters between two pieces: setting up a compressor costs more
 * than they would save.
 *
 * Node's pool of threads compresses large pieces. Others are compressed synchronously, which costs less than handing
 * them over.
 */
import { promisify } from "node:util";
import { constants, crc32, deflateRaw, deflateRawSync, gzip } from "node:zlib";
import type { AnswerPart } from "../../actors/text/json-text.ts";

/** Smaller answers are sent as they are: compression would save few packets. */
export const minCompressedBytes = 4 * 1024;
/**
 * Pieces from this size on are kept compressed as long as they live themselves. Smaller ones may share a buffer with
 * others.
 */
const minKeptBytes = 4 * 1024;
/** Up to here compressing takes a third of a millisecond, and handing it to a thread half of one. */
const atOnceBytes = 64 * 1024;
/** Up to here compressing saves less than a packet, and setting it up takes a twentieth of a millisecond. */
const storedBytes = 512;
/** What the length of a stored block has room for. */
const maxStoredBytes = 65_535;

/** Answers for one client are compressed quickly. Pieces that are kept are compressed once, thoroughly. */
const quickly = { level: 1, finishFlush: constants.Z_FULL_FLUSH };
const thoroughly = { level: 6, finishFlush: constants.Z_FULL_FLUSH };

const deflate: (bytes: Uint8Array, options: typeof quickly) => Promise<Buffer> = promisify(deflateRaw);
const gzipWhole: (bytes: Uint8Array, options: { level: number }) => Promise<Buffer> = promisify(gzip);

/** Compresses an answer that is one text. */
export const compressed = (body: Uint8Array): Promise<Buffer> => gzipWhole(body, { level: quickly.level });

interface Deflated {
  bytes: Uint8Array;
  length: number;
  crc: number;
  /** The factor of a check sum when so many bytes follow. */
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
  /** By a piece's buffer, and its place in it. */
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
    if (kind === "secret" || bytes.length <= storedBytes) return deflated(bytes, stored(bytes));
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

/** Data as it is, in blocks that are not compressed and not the last one. */
function stored(bytes: Uint8Array): Uint8Array {
  const blocks: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; start += maxStoredBytes) {
    const data = bytes.subarray(start, start + maxStoredBytes);
    const head = Buffer.alloc(5);
    head.writeUInt16LE(data.length, 1);
    head.writeUInt16LE(maxStoredBytes - data.length, 3);
    blocks.push(head, data);
  }
  return Buffer.concat(blocks);
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

/** x to the power of 8 × `length`: the effect of so many zero bytes on a check sum. */
function shiftBy(length: number): number {
  let power = 0x80000000;
  let square = 0x00800000;
  for (let rest = length; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = multiply(square, power);
    square = multiply(square, square);
  }
  return power;
}
