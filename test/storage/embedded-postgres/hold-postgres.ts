import { startEmbeddedPostgres } from "../../../storage/embedded-postgres/embedded-postgres.ts";

// A Parley that does nothing but hold its data folder: prints one line of JSON, and lives until it is killed.
const dataDir = process.argv[2] ?? "";
const { url, pid } = await startEmbeddedPostgres({ dataDir, isDurable: false, notify: () => {} });
console.log(JSON.stringify({ url, pid }));
setInterval(() => {}, 60_000);
