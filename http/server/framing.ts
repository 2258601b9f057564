/**
 * Where a request ends. The native builds take the first of several lengths, any Transfer-Encoding for chunks, and
 * bytes after the last chunk for another request. A proxy in front may decide otherwise, and then one client's bytes
 * are answered to another (request smuggling). So a request with an ambiguous end is refused. Nothing after it, or
 * after a body in chunks, is taken for a request, and the connection ends there. Our own build has refused such a head
 * by then, and reads chunks to their end, so a body in chunks ends no connection there.
 */
import { type ApiError, badRequest } from "../../actors/errors.ts";
import type { HttpRequest } from "./builds/uws-interface.ts";

/** A body in chunks, or the error of an ambiguous end. */
export type OddFraming = "chunked" | ApiError;

const methodsWithBody = new Set(["post", "put", "patch", "delete"]);

/** What is unusual about a request's end. Undefined for nearly all. `method` is in lower case. */
export function oddFraming(req: HttpRequest, method: string): OddFraming | undefined {
  // Asking for an absent header costs little. A header that is there twice is found only by looking at all.
  const isPlain =
    method === "get" && req.getHeader("content-length") === "" && req.getHeader("transfer-encoding") === "";
  return isPlain ? undefined : lookAtAll(req, method);
}

function lookAtAll(req: HttpRequest, method: string): OddFraming | undefined {
  const lengths: string[] = [];
  const encodings: string[] = [];
  req.forEach((name, value) => {
    if (name === "content-length") lengths.push(value);
    else if (name === "transfer-encoding") encodings.push(value);
  });
  if (lengths.length + encodings.length > 1) return badRequest("The request says more than once where its body ends.");
  if (lengths.length === 1 && !/^\d{1,15}$/.test(lengths[0]!)) return badRequest("The Content-Length is not a number.");
  if (encodings.length === 0) return undefined;
  if (encodings[0]!.toLowerCase() !== "chunked")
    return badRequest("The only Transfer-Encoding that this server knows is chunked.");
  return methodsWithBody.has(method) ? "chunked" : badRequest(`A ${method.toUpperCase()} has no body in chunks.`);
}
