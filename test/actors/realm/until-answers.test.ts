import { afterAll, beforeAll, expect, it } from "vitest";
import { untilAnswers } from "../../../actors/realm/commit/until-answers.ts";
import { connect, type Database } from "../../../storage/postgres.ts";
import { createTestDatabase, type TestDatabase } from "../../support/server/postgres.ts";
import { startTcpProxy, type TcpProxy } from "../../support/server/tcp-proxy.ts";

const realmCount = 2_000;
const hourMs = 3_600_000;

let testDatabase: TestDatabase;
let wire: TcpProxy;
let database: Database;
let watched: Database;
let asked = 0;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  wire = await startTcpProxy(Number(new URL(testDatabase.url).port));
  database = connect(wire.through(testDatabase.url), { maxConnections: 2 });
  // Each question is asked of the vital connections.
  watched = Object.create(database, {
    vital: {
      get: () => {
        asked++;
        return database.vital;
      },
    },
  });
});
afterAll(async () => {
  await database?.close();
  await wire?.stop();
  await testDatabase?.drop();
});

it("thousands that wait for PostgreSQL ask it as often as one would, and all go on", async () => {
  wire.cut();
  let waiting = realmCount;
  const all = Array.from({ length: realmCount }, async () => {
    await untilAnswers(watched, performance.now() + hourMs);
    waiting--;
  });
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(waiting).toBe(realmCount);
  wire.restore();
  await Promise.all(all);
  expect(asked).toBeLessThan(realmCount);
});

it("nobody waits for longer than they may", async () => {
  wire.cut();
  await untilAnswers(watched, performance.now() + 10);
  wire.restore();
  await untilAnswers(watched, performance.now() + hourMs);
});
