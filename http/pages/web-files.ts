/**
 * The files of the page that people chat on, as `vite build` left them. Each is in memory, as it is and in its two
 * compressed forms. Their names change with their content, so browsers keep them for good; only the page itself is
 * asked for again.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";

export interface WebFile {
  type: string;
  plain: Uint8Array;
  gzip: Uint8Array | undefined;
  brotli: Uint8Array | undefined;
}

/** By name. */
export type WebFiles = ReadonlyMap<string, WebFile>;

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
};

/** Beside this file when it is built, else where the build puts it. */
const folders = ["../web/built", "../../dist/http/web/built"].map((folder) => join(import.meta.dirname, folder));

/** None where the page was not built: the server is complete without it. */
export function loadWebFiles(): WebFiles {
  const folder = folders.find((place) => existsSync(place));
  if (folder === undefined) return new Map();
  const names = readdirSync(folder);
  const has = new Set(names);
  // A view of a pool that others share would keep all of it, and may not be given to a native build.
  const read = (name: string): Uint8Array | undefined =>
    has.has(name) ? new Uint8Array(readFileSync(join(folder, name))) : undefined;
  return new Map(
    names.flatMap((name) => {
      const [type, plain] = [types[extname(name)], read(name)];
      return type && plain ? [[name, { type, plain, gzip: read(`${name}.gz`), brotli: read(`${name}.br`) }]] : [];
    }),
  );
}
