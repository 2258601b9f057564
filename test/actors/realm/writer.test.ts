import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NotBegun } from "../../../actors/realm/commit/work.ts";
import type { RealmState } from "../../../actors/realm/state/state.ts";
import { Writer } from "../../../actors/realm/writer.ts";
import { migrate } from "../../../storage/migrate.ts";
import { connect, type Database } from "../../../storage/postgres.ts";
import { beginTerm, insertRealm } from "../../../storage/realms.ts";
import { createTestDatabase, type TestDatabase } from "../../support/server/postgres.ts";
import { until } from "../../support/time/until.ts";

let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = connect(testDatabase.url, { maxConnections: 8 });
  await migrate(database);
});
afterAll(async () => {
  await database?.close();
  await testDatabase?.drop();
});

describe("a writer", () => {
  it("that is stopped while it prepares the log for a day hands back what waits, and ends", async () => {
    const settings = {} as Parameters<typeof insertRealm>[1]["settings"];
    const realmId = await insertRealm(database.sql, { host: null, name: "r", now: 0, settings });
    const term = await beginTerm(database, realmId, { servesReads: true });
    const writer = new Writer({
      database,
      state: { id: realmId, position: term.position } as RealmState,
      term: { realmId, ...term },
      clock: () => Math.floor(Date.now() / 1000),
      patienceMs: 10_000,
      onCommitted: () => {},
      onFailure: () => {},
      onBatch: () => {},
    });
    let submitted: Promise<unknown> | undefined;
    let stopped: Promise<void> | undefined;
    await database.transaction(async (sql) => {
      // Whoever makes or drops partitions takes it.
      await sql`select pg_advisory_xact_lock(7275539912::bigint)`;
      submitted = writer.submit({ decide: () => "done" });
      submitted.catch(() => {});
      const waiting = () => sql`
        select 1 from pg_locks join pg_database d on d.oid = database
        where locktype = 'advisory' and not granted and datname = current_database()`;
      await until("the writer to wait", async () => (await waiting()).length > 0);
      stopped = writer.stop();
    });
    await expect(submitted).rejects.toBeInstanceOf(NotBegun);
    await stopped;
  });
});
