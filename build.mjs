// What tsc leaves out of dist/: the SQL migrations, the filter of breached passwords, the programs of processes with no
// rights, and the mark that makes the command line executable.
import { chmodSync, cpSync, existsSync, rmSync } from "node:fs";

// A migration that has another name now must not be applied under the old one as well.
rmSync("dist/storage/migrations", { recursive: true, force: true });
cpSync("storage/migrations", "dist/storage/migrations", { recursive: true });
for (const program of [
  "actors/outbound/allowed-addresses.mjs",
  "actors/users/passwords/breached-passwords.bin",
  "http/link-previews/fetch-process.mjs",
  "http/pictures/picture-process.mjs",
])
  cpSync(program, `dist/${program}`);
if (existsSync("dist/http/process/cli.js")) chmodSync("dist/http/process/cli.js", 0o755);
