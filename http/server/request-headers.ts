/** Headers of a request that take more than one look. */
import type { HttpRequest } from "./builds/uws-interface.ts";

/** Characters kept of a header that a route wants: names, addresses of this server, and what an upload is called. */
const maxWantedLength = 4096;

/** The headers that a route wants, by name in lower case. One that is missing or empty is left out. */
export function wantedHeaders(req: HttpRequest, names: Iterable<string>): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const name of names) {
    const value = req.getHeader(name);
    if (value !== "") values.set(name, value.slice(0, maxWantedLength));
  }
  return values;
}

/**
 * The values of every header of this name, as if they were in one. A proxy may add a line of its own behind the
 * client's.
 */
export function allLines(req: HttpRequest, name: string): string {
  let lines = "";
  req.forEach((key, value) => {
    if (key === name) lines += lines === "" ? value : `,${value}`;
  });
  return lines;
}

/** Whether the client asks for a stream of events. One that accepts anything does not. */
export function wantsStream(req: HttpRequest): boolean {
  return req.getHeader("accept").includes("text/event-stream");
}
