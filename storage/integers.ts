/**
 * The integers of a PostgreSQL array's text, such as `{1,-2,3}`. Long lists of ids are read from the driver as one
 * text. As rows, or by its own parser of arrays, they cost many times as much.
 */
export function parseIntegers(text: string): number[] {
  const integers: number[] = [];
  let integer = 0;
  let sign = 1;
  for (let index = 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 48 && code <= 57) integer = integer * 10 + (code - 48);
    else if (code === 45) sign = -1;
    else if (index > 1) {
      integers.push(sign * integer);
      integer = 0;
      sign = 1;
    }
  }
  return integers;
}

/** The integers of PostgreSQL's `string_agg(int4send(…), '')`, which the driver gives as bytes without parsing each. */
export function readInt32s(bytes: Buffer): Int32Array<ArrayBuffer> {
  const integers = new Int32Array(bytes.length / Int32Array.BYTES_PER_ELEMENT);
  const own = Buffer.from(integers.buffer);
  own.set(bytes);
  // They are big-endian, and every machine that this runs on is little-endian.
  own.swap32();
  return integers;
}
