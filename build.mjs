// What tsc leaves out of dist/: the SQL migrations, and the mark that makes the command line executable.
import { chmodSync, cpSync, existsSync } from "node:fs";

cpSync("storage/migrations", "dist/storage/migrations", { recursive: true });
if (existsSync("dist/http/process/cli.js")) chmodSync("dist/http/process/cli.js", 0o755);
