// What `npm ci` ends with: the build. `npm ci --omit=dev` brings no compiler, so it takes a dist/ that was built before.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

if (existsSync("node_modules/typescript")) {
  process.exitCode = spawnSync("npm run build", { shell: true, stdio: "inherit" }).status ?? 1;
} else if (!existsSync("dist/http/process/cli.js")) {
  console.error(
    "There is no TypeScript here to build dist/ with. Run npm ci without --omit=dev, or bring a built dist/.",
  );
  process.exitCode = 1;
}
