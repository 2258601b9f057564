/** `npm run client-types`: writes the types of the client library's calls again. */
import { runnerImport } from "vite";

const { module } = await runnerImport(new URL("api-types.ts", import.meta.url).pathname);
await module.writeTypes();
