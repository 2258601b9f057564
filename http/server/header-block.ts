/**
 * Headers of many answers. Those that always go together are prepared once: bytes that one call writes. A call into a
 * native build costs as much as a map look-up, and each string has to be converted first.
 */
import { validateHeaderName, validateHeaderValue } from "node:http";
import { defined } from "../../storage/failures.ts";
import type { HttpResponse } from "./builds/uws-interface.ts";

export type Headers = readonly (readonly [name: string, value: string])[];

/**
 * For how long a connection may idle. The native builds end one that idles for ten seconds by a clock of four-second
 * ticks. That is after eight at the earliest, when nothing holds the loop up. Nobody can tell them another time. Our
 * own build ends it after ten. Source: uWebSockets src/HttpContext.h, HTTP_IDLE_TIMEOUT_S; uSockets src/libusockets.h,
 * LIBUS_TIMEOUT_GRANULARITY.
 */
export const keepAlive: Headers[0] = ["Keep-Alive", "timeout=7"];

/**
 * The headers of every JSON answer. Pages of any site may read every answer, whatever their origin, since no cookie is
 * sent with their requests.
 */
export const jsonHeaders: Headers = [
  ["Content-Type", "application/json"],
  ["Cache-Control", "no-store, no-cache, private"],
  ["X-Content-Type-Options", "nosniff"],
  ["Access-Control-Allow-Origin", "*"],
  keepAlive,
];

/** @throws TypeError at the start for a header that could not be sent */
export class HeaderBlock {
  readonly #name: Uint8Array;
  /** The first value, and the others with their names behind it. */
  readonly #value: Uint8Array;

  constructor(headers: Headers) {
    for (const [name, value] of headers) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    }
    const [first, ...others] = headers;
    const [name, value] = defined(first, "header");
    this.#name = bytes(name);
    this.#value = bytes([value, ...others.map((header) => header.join(": "))].join("\r\n"));
  }

  writeTo(res: HttpResponse): void {
    res.writeHeader(this.#name, this.#value);
  }
}

/** A buffer of its own: native builds cannot take a part of a shared one. */
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
