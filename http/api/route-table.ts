/** The table of routes as entries, and checks of it. A faulty table stops the start. */
import type { Endpoint, Method, Route } from "./route.ts";

/** `"GET /messages/:message_id"`. */
export type Place = `${Method} ${"" | "^"}/${string}`;

/** @throws Error that names everything wrong with the table */
export function endpointsOf(table: Readonly<Record<Place, Route>>): readonly Endpoint[] {
  const problems: string[] = [];
  const seen = new Map<string, string>();
  const endpoints = Object.entries(table).map(([place, route]): Endpoint => {
    const [method, path] = place.split(" ") as [Method, string];
    // Two paths that differ only in names of parameters are the same.
    const shape = `${method} ${path.replace(/:\w+/g, ":")}`;
    const twin = seen.get(shape);
    if (twin !== undefined) problems.push(`${place}: its path is that of ${twin}`);
    seen.set(shape, place);
    for (const problem of problemsOf(path, route)) problems.push(`${place}: ${problem}`);
    return { ...route, method, path };
  });
  if (problems.length > 0) throw new Error(`The table of routes is wrong.\n  ${problems.join("\n  ")}`);
  return endpoints;
}

function* problemsOf(path: string, { doc, summary, auth, params }: Route): Generator<string> {
  // A page of this repository, if there is no public one.
  if (!/^(https:\/\/|[A-Z]+\.md$)/.test(doc)) yield "doc is no link to its documentation";
  if (!/^[A-Z].{10,}\.$/.test(summary)) yield "summary is no sentence";
  if (auth.length === 0) yield "nobody may call it";
  const parts = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  for (const part of parts) if (!params[part]?.isPath) yield `:${part} has no decoder`;
  for (const [name, param] of Object.entries(params))
    if (param.isPath && !parts.includes(name)) yield `${name} is no part of its path`;
}
