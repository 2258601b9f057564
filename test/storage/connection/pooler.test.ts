/** A pooler before PostgreSQL: it keeps a session for each connection, or the server does not start. */
import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { readConfig } from "../../../http/process/config.ts";
import { startServer } from "../../../http/process/main.ts";
import { lacksPgbouncer, startPgbouncer } from "../../support/poolers/pgbouncer.ts";
import { dataFolder } from "../../support/server/folder.ts";
import { createTestDatabase, type TestDatabase } from "../../support/server/postgres.ts";
import { testSecret } from "../../support/server/template.ts";

/** What docs/databases.md says. */
const ignored = "ignore_startup_parameters = max_parallel_workers_per_gather, jit, statement_timeout";

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  [database, folder] = await Promise.all([createTestDatabase(inject("templates").organization), dataFolder("pooler")]);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await database?.drop();
});

const start = (url: string) =>
  startServer(
    readConfig({
      ...{ DATABASE_URL: url, HOST: "127.0.0.1", PORT: "0", PARLEY_DATA_DIR: folder },
      ...{ PARLEY_SECRET_KEY: testSecret, PARLEY_LOG_LEVEL: "silent" },
    }),
  );

async function refusalBehind(mode: "session" | "transaction", settings?: string): Promise<string> {
  const pooler = await startPgbouncer(database.url, mode, settings);
  try {
    return await start(pooler.url).then(
      () => "it started",
      (error: unknown) => String(error),
    );
  } finally {
    await pooler.stop();
  }
}

describe.skipIf(lacksPgbouncer)(`PgBouncer${lacksPgbouncer ? " (skipped: it is not installed)" : ""}`, () => {
  it("is refused in one sentence when it lends sessions for a transaction", async () => {
    expect(await refusalBehind("transaction", ignored)).toBe(
      "UnusablePooler: DATABASE_URL leads to a pooler that lends PostgreSQL's sessions to others after each transaction, " +
        "as PgBouncer does with pool_mode = transaction: name PostgreSQL itself, or set pool_mode = session.",
    );
  });

  it("is refused in one sentence when it does not let pass what is set for a session", async () => {
    expect(await refusalBehind("session")).toMatch(
      /^UnusablePooler: DATABASE_URL leads to a pooler that refuses .* \(unsupported startup parameter.*: name PostgreSQL itself, or PgBouncer with pool_mode = session and ignore_startup_parameters = max_parallel_workers_per_gather, jit, statement_timeout\.$/,
    );
  });

  it("serves when each connection has a session of its own", async () => {
    const pooler = await startPgbouncer(database.url, "session", ignored);
    try {
      const server = await start(pooler.url);
      const health = await fetch(`http://127.0.0.1:${server.port}/health`);
      expect(health.status).toBe(200);
      await server.stop();
    } finally {
      await pooler.stop();
    }
  });
});
