import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../../storage/embedded-postgres/embedded-postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A PostgreSQL on which `createTestDatabase` may make databases. */
    databaseUrl: string;
  }
}

/**
 * Runs once before all test files: gives them the PostgreSQL that each makes its own databases in. That is the one named by
 * `TEST_DATABASE_URL` or `DATABASE_URL`, whose user must be allowed to create databases, or one of our own for this run.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env["TEST_DATABASE_URL"] || process.env["DATABASE_URL"];
  if (given) {
    project.provide("databaseUrl", given);
    return async () => {};
  }
  const dataDir = await mkdtemp(join(tmpdir(), "parley-tests-"));
  // PostgreSQL runs as another account when this is root.
  await chmod(dataDir, 0o755);
  const server = await startEmbeddedPostgres({ dataDir, isDurable: false, notify: (line) => console.error(line) });
  project.provide("databaseUrl", server.url);
  return async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
