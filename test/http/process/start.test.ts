/** What a start refuses, and what it says. */
import { rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { readConfig, warningsOf } from "../../../http/process/config.ts";
import { startServer } from "../../../http/process/main.ts";
import { migrate } from "../../../storage/migrate.ts";
import { connect } from "../../../storage/postgres.ts";
import { dataFolder } from "../../support/server/folder.ts";
import { createTestDatabase, type TestDatabase } from "../../support/server/postgres.ts";
import { testSecret } from "../../support/server/template.ts";
import { until } from "../../support/time/until.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it("a variable that looks like a setting and is none is named", () => {
  const environment = {
    PARLEY_TRUSTED_PROXY: "1",
    PARLEY_ADMIN_TOKENS: "x",
    PARLEY_URL: "http://localhost",
    PATH: "/bin",
  };
  expect(warningsOf(readConfig(environment))).toEqual([
    "There are no such settings, so they have no effect: PARLEY_ADMIN_TOKENS, PARLEY_TRUSTED_PROXY.",
  ]);
  expect(warningsOf(readConfig({ PARLEY_OWNER_PASSWORD: "correct horse", PARLEY_IS_WORKER: "on" }))).toEqual([]);
});

it("a database that a newer program has changed is refused in one sentence, and left as it is", async () => {
  const pool = connect(database.url, { maxConnections: 3 });
  try {
    expect((await migrate(pool)).length).toBeGreaterThan(0);
    expect(await migrate(pool)).toEqual([]);
    await pool.sql`insert into migrations (name) values ('999_from_the_future.sql')`;
    await expect(migrate(pool)).rejects.toThrow(
      "A newer Parley has changed this database (999_from_the_future.sql): start that one, or restore an older backup.",
    );
    await pool.sql`delete from migrations where name = '999_from_the_future.sql'`;
    expect(await migrate(pool)).toEqual([]);
    // Migrated before numbers were told apart.
    await pool.sql`update migrations set name = '043_push_status.sql' where name = '046_push_status.sql'`;
    expect(await migrate(pool)).toEqual([]);
  } finally {
    await pool.close();
  }
});

it.runIf(process.platform === "linux")(
  "a start on a port that is taken leaves nothing running in this process",
  async () => {
    const own = await createTestDatabase(inject("templates").organization);
    const taken = createServer();
    await new Promise<void>((listening) => taken.listen(0, "127.0.0.1", listening));
    const { port } = taken.address() as AddressInfo;
    const folder = await dataFolder("taken");
    const smtp = "smtp://127.0.0.1:9";
    const config = {
      DATABASE_URL: own.url,
      HOST: "127.0.0.1",
      PORT: String(port),
      PARLEY_DATA_DIR: folder,
      PARLEY_SECRET_KEY: testSecret,
      PARLEY_SMTP_URL: smtp,
    };
    const before = timersAndSockets();
    await expect(
      startServer(readConfig({ ...config, PARLEY_LOG_LEVEL: "error", PARLEY_MAIL_FROM: "chat@example.com" })),
    ).rejects.toThrow(/port|EADDRINUSE/i);
    await until("all that it began to have ended", () => timersAndSockets() <= before);
    await new Promise((closed) => taken.close(closed));
    await rm(folder, { recursive: true });
    await own.drop();
  },
);

/** What keeps a process alive, but for what every test process has. */
const timersAndSockets = (): number =>
  process.getActiveResourcesInfo().filter((name) => /^(?:Timeout|TCP|Process)/.test(name)).length;
