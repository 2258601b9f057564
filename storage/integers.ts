/**
 * The integers of a PostgreSQL array's text, such as `{1,2,3}`; none is negative. Long lists of ids come out of the driver as
 * one text: as rows, or by its own reader of arrays, they cost many times as much.
 */
export function parseIntegers(text: string): number[] {
  const integers: number[] = [];
  let integer = 0;
  for (let index = 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 48 && code <= 57) integer = integer * 10 + (code - 48);
    else if (index > 1) {
      integers.push(integer);
      integer = 0;
    }
  }
  return integers;
}
