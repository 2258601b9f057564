/** Headers of a request that take more than one look. */
import { eventHeaders } from "../../actors/integrations/table.ts";
import type { HttpRequest } from "./builds/uws-interface.ts";

/** Longest name of an event that is kept. */
const maxEventLength = 100;

/** The events that the headers of a service behind an incoming webhook name, by header. */
export function hookEventsOf(req: HttpRequest): ReadonlyMap<string, string> {
  const events = new Map<string, string>();
  for (const name of eventHeaders) {
    const value = req.getHeader(name);
    if (value !== "") events.set(name, value.slice(0, maxEventLength));
  }
  return events;
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
