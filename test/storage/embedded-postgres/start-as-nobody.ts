/** Starts the embedded PostgreSQL on the folder that is named, as the account `nobody`, and says what came of it. */
import { startEmbeddedPostgres } from "../../../storage/embedded-postgres/embedded-postgres.ts";

const folder = process.argv[2]!;
process.setgroups!([]);
process.setgid!("nogroup");
process.setuid!("nobody");
try {
  const server = await startEmbeddedPostgres({ dataDir: folder, isDurable: false, notify: () => {} });
  await server.stop();
  console.log("it started");
} catch (error) {
  console.log((error as Error).message);
}
