/** `npm run settings`: writes the table of docs/settings.md again. Vite runs TypeScript on any Node, without a build. */
import { runnerImport } from "vite";

const { module } = await runnerImport(new URL("settings-table.ts", import.meta.url).pathname);
module.writeTable();
