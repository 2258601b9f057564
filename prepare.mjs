// What `npm ci` ends with: the build, also of a production install, so what it needs is among the dependencies.
import { spawnSync } from "node:child_process";

process.exitCode = spawnSync("npm run build", { shell: true, stdio: "inherit" }).status ?? 1;
