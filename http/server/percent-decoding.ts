/**
 * Decodes a field of a form or query: `+` is a space, `%XX` a byte of UTF-8. It takes one pass over bytes: replacing a
 * megabyte of `+` in a string would block the event loop for a tenth of a second.
 */
import { badRequest } from "../../actors/errors.ts";

const [plus, percent, space] = [0x2b, 0x25, 0x20];
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Value of a hexadecimal digit. -1 for any other byte, and for undefined. */
function digit(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** Characters that may be kept in memory because of a part of them. */
const maxSpare = 1000;

/**
 * A part of `source` that does not keep the rest in memory. The engine makes parts of strings as references into the
 * whole. A topic of twenty characters would keep its whole body, with megabytes of other fields.
 */
export function detached(part: string, source: string): string {
  return part !== "" && source.length > part.length + maxSpare ? Buffer.from(part, "utf8").toString("utf8") : part;
}

/** @throws BAD_REQUEST for a `%` without two digits, and for bytes that are no text */
export function decodeField(encoded: string): string {
  if (!encoded.includes("%") && !encoded.includes("+")) return encoded;
  const bytes = Buffer.from(encoded, "utf8");
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    let byte = bytes[at]!;
    if (byte === plus) byte = space;
    else if (byte === percent) {
      const [high, low] = [digit(bytes[at + 1]), digit(bytes[at + 2])];
      if (high < 0 || low < 0) throw malformed();
      byte = 16 * high + low;
      at += 2;
    }
    bytes[length++] = byte;
  }
  try {
    return utf8.decode(bytes.subarray(0, length));
  } catch {
    throw malformed();
  }
}

const malformed = () => badRequest("Malformed percent-encoding in the request");
