/**
 * A picture for an account that has none to show: a pattern of squares, the same for the same text and unlike others.
 * Anybody may ask for one as often as they like, so it is drawn row by row of squares, as a PNG of one bit per dot.
 */
import { createHash } from "node:crypto";
import { encodePng } from "../organization/png.ts";

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
  const dark = (index: number): number => 40 + (hash[index]! % 150);
  return encodePng({
    sizePx,
    bits: 1,
    rows: dots,
    palette: [238, 238, 238, dark(29), dark(30), dark(31)],
  });
}
