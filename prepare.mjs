// What `npm ci` and `npm pack` end with: what this platform does not run goes, and the server is built. An install
// without development packages (`--omit=dev`, `NODE_ENV=production`) has no compiler. It is fetched for the build, in
// the version of the lock file, and taken away again. Types are not checked here, so none are fetched.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What the build needs of the development packages, and the running server does not. */
const buildPackages = ["@panzoom/panzoom", "@preact/signals", "preact", "rolldown", "typescript", "vite"];

const root = import.meta.dirname;
/** The first `npx parley` in a folder of sources has npm prepare it again; a server may be running of what is there. */
const isForNpx = process.env.npm_command === "exec" && existsSync(join(root, "dist/http/process/cli.js"));
const quiet = "--no-save --no-audit --no-fund --ignore-scripts --omit=dev";

/** Runs npm and ends this process with its code if it fails. */
function npm(command) {
  const { status } = spawnSync(`npm ${command}`, { shell: true, stdio: "inherit", cwd: root });
  if (status !== 0) process.exit(status ?? 1);
}

if (isForNpx) process.exit();
await import("./prune.mjs");
const lacking = buildPackages.filter((name) => !existsSync(join(root, "node_modules", name)));
if (lacking.length > 0) {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const locked = lacking.map((name) => `${name}@${packages[`node_modules/${name}`].version}`);
  npm(`install ${quiet} --save-prod ${locked.join(" ")}`);
}
npm("run build");
if (lacking.length > 0) npm(`prune ${quiet}`);
