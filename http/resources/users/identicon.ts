/**
 * A picture for an account that has none to show: a pattern of squares, the same for the same text and unlike others. Anybody
 * may ask for one as often as they like, so it is drawn row by row of squares, as a PNG of one bit per dot.
 */
import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";

/** Squares across and down, the right half mirroring the left one. */
const squares = 5;

/** @param sizePx width and height */
export function drawIdenticon(text: string, sizePx: number): Buffer {
  const hash = createHash("sha256").update(text).digest();
  const rowBytes = 1 + Math.ceil(sizePx / 8);
  const dots = Buffer.alloc(rowBytes * sizePx);
  for (let down = 0; down < squares; down++) {
    const row = Buffer.alloc(rowBytes);
    for (let x = 0; x < sizePx; x++) {
      const across = Math.floor((x * squares) / sizePx);
      const square = Math.min(across, squares - 1 - across) * squares + down;
      if (hash[square]! & 1) row[1 + (x >> 3)]! |= 0x80 >> (x & 7);
    }
    const top = Math.ceil((down * sizePx) / squares);
    const bottom = Math.ceil(((down + 1) * sizePx) / squares);
    for (let y = top; y < bottom; y++) row.copy(dots, y * rowBytes);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(sizePx, 0);
  header.writeUInt32BE(sizePx, 4);
  header.set([1, 3], 8); // One bit per dot, an index into the palette.
  const dark = (index: number): number => 40 + (hash[index]! % 150);
  const palette = Buffer.from([238, 238, 238, dark(29), dark(30), dark(31)]);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("PLTE", palette),
    chunk("IDAT", deflateSync(dots)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(named, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}

/** `zlib.crc32` came with Node 20.15 only. */
function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
