// `npm run screens`: draws the pictures of the page that README.md shows. `npm run build` comes first.
import { runnerImport } from "vite";

const { module } = await runnerImport(new URL("./screens.ts", import.meta.url).pathname);
await module.drawScreens();
process.exit(0);
