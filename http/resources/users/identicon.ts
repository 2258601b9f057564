/**
 * Avatars of accounts without a picture: a pattern of squares, which depends only on the text. Anybody may ask for any
 * number of them, so drawing is cheap: row by row of squares, as a PNG of one bit per pixel.
 */
import { createHash } from "node:crypto";
import { encodePng } from "../organization/png.ts";

/** Squares across and down. The right half mirrors the left one. */
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
      const at = 1 + (x >> 3);
      if (hash.readUInt8(square) & 1) row[at] = row.readUInt8(at) | (0x80 >> (x & 7));
    }
    const top = Math.ceil((down * sizePx) / squares);
    const bottom = Math.ceil(((down + 1) * sizePx) / squares);
    for (let y = top; y < bottom; y++) row.copy(dots, y * rowBytes);
  }
  const dark = (index: number): number => 40 + (hash.readUInt8(index) % 150);
  return encodePng({
    sizePx,
    bits: 1,
    rows: dots,
    palette: [238, 238, 238, dark(29), dark(30), dark(31)],
  });
}
