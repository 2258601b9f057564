/** PNG pictures that the server draws itself, with a palette of at most four colours. Source: RFC 2083. */
import { crc32, deflateSync } from "node:zlib";

export interface Drawing {
  /** Width and height. */
  sizePx: number;
  /** Bits of a pixel, which is an index into the palette. */
  bits: 1 | 2;
  /** Each row is a byte 0, then pixels from the highest bit on. */
  rows: Buffer;
  /** Red, green and blue of each colour. */
  palette: readonly number[];
  /** Whether the first colour is transparent. */
  isFirstClear?: boolean;
}

export function encodePng({ sizePx, bits, rows, palette, isFirstClear }: Drawing): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(sizePx, 0);
  header.writeUInt32BE(sizePx, 4);
  header.set([bits, 3], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette)),
    ...(isFirstClear ? [chunk("tRNS", Buffer.from([0]))] : []),
    chunk("IDAT", deflateSync(rows)),
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
