/** The pages of `docs/`, for operators and for those who build on a server. The build renders them to HTML. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RawReply } from "../api/reply.ts";
import { page } from "./page.ts";

/** Beside the built server, also for a server that runs from its sources. */
const folder = ["../../docs", "../../dist/docs"]
  .map((place) => join(import.meta.dirname, place))
  .find((place) => existsSync(join(place, "index.html")));

/** By name, as it stands in addresses. In memory: an upgrade replaces the folder under workers that still serve. */
export const docsPages: ReadonlyMap<string, string> = new Map(
  folder === undefined
    ? []
    : readdirSync(folder)
        .filter((name) => name.endsWith(".html"))
        .map((name) => [name.slice(0, -".html".length), readFileSync(join(folder, name), "utf8")]),
);

/** @param name one of `docsPages`, which has `body`; that of `/docs/` itself is `index` */
export function docsPage(name: string, body: string): RawReply {
  const [, title = name] = /<h1[^>]*>([^<]*)/.exec(body) ?? [];
  const way = name === "index" ? "" : '<nav aria-label="Pages"><p><a href="/docs/">All pages</a></p></nav>\n';
  return page({ title, isWide: true, body: way + body });
}
