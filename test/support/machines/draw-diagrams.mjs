/**
 * `npm run diagrams`: draws the lifecycles in ARCHITECTURE.md again. Vite runs TypeScript on any Node, without a build.
 */
import { runnerImport } from "vite";

const { module } = await runnerImport(new URL("diagrams.ts", import.meta.url).pathname);
module.writeDocument();
