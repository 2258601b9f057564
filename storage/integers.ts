/**
 * The integers of a PostgreSQL array's text, such as `{1,-2,3}`. Long lists of ids come out of the driver as one text: as
 * rows, or by its own reader of arrays, they cost many times as much.
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
