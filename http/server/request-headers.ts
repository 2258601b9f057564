/** Headers of a request that take more than one look. */
import type { HttpRequest } from "./uws-interface.ts";

/** Where services put the name of what happened. */
const eventHeaders = ["x-github-event", "x-gitea-event", "x-forgejo-event", "x-gitlab-event", "sentry-hook-resource"];

/** The event, as the service behind an incoming webhook names it in a header of its own. */
export function hookEventOf(req: HttpRequest): string {
  for (const name of eventHeaders) {
    const value = req.getHeader(name);
    if (value !== "") return value.slice(0, 60);
  }
  return "";
}

/**
 * The values of every header of this name, as if they were in one: a proxy may add a line of its own behind the
 * client's.
 */
export function allLines(req: HttpRequest, name: string): string {
  let lines = "";
  req.forEach((key, value) => {
    if (key === name) lines += lines === "" ? value : `,${value}`;
  });
  return lines;
}
