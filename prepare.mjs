// What `npm ci` ends with: what this platform does not run goes, and the server is built. A production install does so
// too, so what it needs is among the dependencies.
import { spawnSync } from "node:child_process";

await import("./prune.mjs");
process.exitCode = spawnSync("npm run build", { shell: true, stdio: "inherit" }).status ?? 1;
