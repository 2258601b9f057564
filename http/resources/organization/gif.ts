/**
 * Whether a GIF is animated. It is a header, an optional colour table and a sequence of blocks, of which an animation
 * has several with images. Source: the GIF89a specification, sections 17 to 27.
 */

const extension = 0x21;
const image = 0x2c;

/** Whether these bytes are a GIF with more than one frame. */
export function isAnimatedGif(bytes: Buffer): boolean {
  if (bytes.length < 13 || bytes.toString("latin1", 0, 3) !== "GIF") return false;
  let at = 13 + tableSize(bytes[10] ?? 0);
  let images = 0;
  // Each turn of the loop moves `at` forward by at least one byte.
  while (at < bytes.length && images < 2) {
    if (bytes[at] === extension) at = skipSubBlocks(bytes, at + 2);
    else if (bytes[at] === image && at + 10 < bytes.length) {
      images++;
      // Descriptor, local colour table, code size, data.
      at = skipSubBlocks(bytes, at + 10 + tableSize(bytes[at + 9] ?? 0) + 1);
    } else break;
  }
  return images > 1;
}

/** Bytes of the colour table that the packed field announces. */
function tableSize(packed: number): number {
  return (packed & 0x80) === 0 ? 0 : 3 * 2 ** ((packed & 0x07) + 1);
}

function skipSubBlocks(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== 0) at += (bytes[at] ?? 0) + 1;
  return at + 1;
}
