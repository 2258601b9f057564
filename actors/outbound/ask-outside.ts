/**
 * A request to an address that a person chose. The name is looked up once, its addresses are checked, and the
 * connection goes to a checked one. So a name that changes a moment later changes nothing. Redirects are not followed.
 */
import { lookup } from "node:dns";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { readJsonText } from "../text/read-json.ts";
import type { AddressRule } from "./allowed-addresses.mjs";

declare module "../realm/environment.ts" {
  interface RealmEnvironment {
    /** Which addresses are asked on somebody's behalf. */
    mayAsk: AddressRule;
  }
}

export interface Question {
  method: "GET" | "POST";
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Empty with GET. */
  body: string | Buffer;
  isAllowed: AddressRule;
  /** For the look-up, the connection and the answer together. */
  timeoutMs: number;
  /** Largest answer. */
  maxBytes: number;
  /** Fires when nobody waits for the answer. */
  signal?: AbortSignal;
}

export type Outcome =
  | { status: number; body: string; contentType: string }
  /**
   * `failure` says why there is no answer, as the end of a sentence. `isLasting` means that another attempt would fail
   * too.
   */
  | { failure: string; isLasting: boolean };

/** What an answer with status 200 says. Undefined for others, for what is no JSON, and for what is too large of it. */
export function answeredJson(outcome: Outcome): unknown {
  if ("failure" in outcome || outcome.status !== 200) return undefined;
  try {
    return readJsonText(outcome.body);
  } catch {
    return undefined;
  }
}

const internal = { failure: "its address is inside this server's own network", isLasting: true };

/** Never throws. */
export function askOutside({ method, url: text, isAllowed, timeoutMs, ...rest }: Question): Promise<Outcome> {
  const { headers, body, maxBytes, signal: ending } = rest;
  const url = new URL(text);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  // An IP address is not looked up, so it is checked here.
  if (isIP(host) !== 0 && !isAllowed(host)) return Promise.resolve(internal);
  return new Promise((resolve) => {
    let isInternal = false;
    const checkedLookup: LookupFunction = (name, options, answer) =>
      lookup(name, { ...options, all: true }, (error, found) => {
        const allowed = error ? [] : found.filter(({ address }) => isAllowed(address));
        isInternal = !error && allowed.length === 0;
        const [first] = allowed;
        if (!first) answer(error ?? new Error("no address is allowed"), "", 0);
        else if (options.all) answer(null, allowed);
        else answer(null, first.address, first.family);
      });
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = ending ? AbortSignal.any([timeout, ending]) : timeout;
    const fail = (error: Error & { code?: string }) => {
      const tooLate = { failure: `it did not answer within ${timeoutMs / 1000} seconds`, isLasting: false };
      const lost = { failure: `it could not be reached (${error.code ?? error.message})`, isLasting: false };
      resolve(isInternal ? internal : timeout.aborted ? tooLate : lost);
    };
    const send = url.protocol === "https:" ? httpsRequest : httpRequest;
    const length = String(Buffer.byteLength(body));
    const options = {
      method,
      headers: { ...headers, ...(method === "POST" && { "Content-Length": length }) },
      signal,
      agent: false as const,
    };
    const request = send(url, { ...options, lookup: checkedLookup }, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxBytes) {
          resolve({ failure: `its answer has more than ${maxBytes / 1024} KiB`, isLasting: true });
          request.destroy();
        } else chunks.push(chunk);
      });
      response.on("error", fail);
      response.on("end", () => {
        const contentType = response.headers["content-type"] ?? "";
        resolve({ status: response.statusCode!, body: Buffer.concat(chunks).toString(), contentType });
      });
    });
    request.on("error", fail);
    request.end(body);
  });
}
