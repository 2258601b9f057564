// Builds the package: `dist/index.js`, one minified module, and the types beside it. `npm pack` runs it first.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";

const from = import.meta.dirname;
const to = process.argv[2] ?? join(from, "dist");
const build = await rolldown({ input: join(from, "index.ts"), platform: "neutral" });
await build.write({ dir: to, format: "esm", minify: true });
await build.close();
mkdirSync(to, { recursive: true });
const tsc = join(from, "../../node_modules/.bin/tsc");
const { status } = spawnSync(tsc, ["-p", join(from, "tsconfig.json"), "--outDir", to], { stdio: "inherit" });
copyFileSync(join(from, "openapi.d.ts"), join(to, "openapi.d.ts"));
process.exitCode = status ?? 1;
