/**
 * The first frame of an animated GIF, for people who turned animations off. A GIF is a header, an optional colour table
 * and a sequence of blocks. The still is everything up to the end of the first image block, and the trailer. Source:
 * the GIF89a specification, sections 17 to 27.
 */
const trailer = 0x3b;
const extension = 0x21;
const image = 0x2c;

/** The bytes of the first frame, and whether there are more frames. Undefined when this is not a complete GIF. */
export function firstFrame(bytes: Buffer): { still: Buffer; isAnimated: boolean } | undefined {
  if (bytes.length < 13) return undefined;
  let at = 13 + tableSize(bytes[10]!);
  let end: number | undefined;
  // Each turn of the loop moves `at` forward by at least one byte.
  while (at < bytes.length) {
    const kind = bytes[at];
    if (kind === trailer) break;
    if (kind === extension) at = skipSubBlocks(bytes, at + 2);
    else if (kind === image && at + 10 < bytes.length) {
      if (end !== undefined)
        return { still: Buffer.concat([bytes.subarray(0, end), Buffer.from([trailer])]), isAnimated: true };
      // Descriptor, local colour table, code size, data.
      at = end = skipSubBlocks(bytes, at + 10 + tableSize(bytes[at + 9]!) + 1);
    } else return undefined;
    if (at > bytes.length) return undefined;
  }
  return end === undefined ? undefined : { still: bytes, isAnimated: false };
}

/** Bytes of the colour table that the packed field announces. */
function tableSize(packed: number): number {
  return (packed & 0x80) === 0 ? 0 : 3 * 2 ** ((packed & 0x07) + 1);
}

function skipSubBlocks(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== 0) at += bytes[at]! + 1;
  return at + 1;
}
