/** Text out of addresses that anybody may have written. */

/**
 * What stands in a part of an address. Undefined where it is no text: malformed, or with a null character, which
 * PostgreSQL stores nowhere.
 */
export function decodePercent(part: string): string | undefined {
  if (!part.includes("%")) return part.includes("\0") ? undefined : part;
  try {
    const text = decodeURIComponent(part);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
