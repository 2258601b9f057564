/**
 * Headers that always go together, prepared once. A call into a native build costs as much as a map look-up, and each
 * string has to be converted first, so there they are bytes that one call writes. The twin on node:http refuses line
 * breaks in a value, so there each is a header of its own.
 */
import { validateHeaderName, validateHeaderValue } from "node:http";
import type { HttpResponse } from "./uws-interface.ts";

export type Headers = readonly (readonly [name: string, value: string])[];

export interface HeaderBlock {
  writeTo(res: HttpResponse): void;
}

/**
 * Prepares headers for one build.
 * @throws TypeError at the start for a header that no build could send
 */
export type MakeHeaderBlock = (headers: Headers) => HeaderBlock;

/** For builds that write a name and a value as they are. */
export const packedHeaders: MakeHeaderBlock = (headers) => {
  check(headers);
  return new PackedHeaders(headers);
};

/** For builds that check each. */
export const separateHeaders: MakeHeaderBlock = (headers) => {
  check(headers);
  return {
    writeTo(res) {
      for (const [name, value] of headers) res.writeHeader(name, value);
    },
  };
};

class PackedHeaders implements HeaderBlock {
  readonly #name: Uint8Array;
  /** The first value, and the others with their names behind it. */
  readonly #value: Uint8Array;

  constructor([first, ...others]: Headers) {
    const [name, value] = first!;
    this.#name = bytes(name);
    this.#value = bytes([value, ...others.map((header) => header.join(": "))].join("\r\n"));
  }

  writeTo(res: HttpResponse): void {
    res.writeHeader(this.#name, this.#value);
  }
}

/** A buffer of its own: native builds cannot take a part of a shared one. */
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

function check(headers: Headers): void {
  for (const [name, value] of headers) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
}
