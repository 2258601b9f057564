#!/usr/bin/env node
/**
 * The program `parley`: runs the one file that the build joins `command-line.ts` and all its imports into
 * (`bundle.mjs`). `require` and `import` would compile it anew at each start.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import type { runCommandLine } from "./command-line.ts";

const path = fileURLToPath(new URL("parley.cjs", import.meta.url));

// V8 compiles anew if the cache is another version's.
const script = new Script(readFileSync(path, "utf8"), {
  filename: path,
  cachedData: readFileSync(`${path}.cache`),
});
const parley: { runCommandLine?: typeof runCommandLine } = {};
script.runInThisContext()(parley, createRequire(path), path);
await parley.runCommandLine?.(process.argv.slice(2));
