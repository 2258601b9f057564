/** What is in quarantine when its node is killed is looked at by the next. One without a scanner keeps it as well. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../../../storage/embedded-postgres/port.ts";
import { ApiClient, expectSuccess } from "../../support/client/api.ts";
import { clean, ScriptedClamd, silent } from "../../support/files/scripted-clamd.ts";
import { dataFolder } from "../../support/server/folder.ts";
import { createTestDatabase, type TestDatabase } from "../../support/server/postgres.ts";
import { type ServerProcess, startServerProcess } from "../../support/server/server-process.ts";
import { until } from "../../support/time/until.ts";

const clamd = new ScriptedClamd(silent);
let database: TestDatabase;
let server: ServerProcess | undefined;
beforeAll(async () => {
  database = await createTestDatabase();
  await clamd.start();
}, 120_000);
afterAll(async () => {
  await server?.kill();
  await clamd.stop();
  await database.drop();
});

it("a node that is killed while it looks leaves the file to the next one", async () => {
  const folder = await dataFolder("killed-scan");
  const port = String(await freePort());
  const base = { PORT: port, PARLEY_DATA_DIR: folder, DATABASE_URL: database.url, PARLEY_OWNER_EMAIL: "o@example.com" };
  const scanning = { ...base, ...clamd.environment };
  server = await startServerProcess(scanning);
  const apiKey = /^key=(.+)$/m.exec(await readFile(join(folder, "owner.zuliprc"), "utf8"))![1]!;
  const client = new ApiClient({ url: server.url, email: "o@example.com", apiKey });
  const files = { file: { filename: "a.txt", content: Buffer.from("some text"), type: "text/plain" } };
  const { url } = expectSuccess(await client.post("/user_uploads", {}, { files }));
  const read = () => client.get(String(url), {}, { root: true });
  await until("it is looked at", () => clamd.asked.some(({ isWhole }) => isWhole));
  await server.kill();

  server = await startServerProcess(base);
  expect((await read()).body["code"]).toBe("FILE_BEING_CHECKED");
  await server.kill();

  clamd.script = clean;
  server = await startServerProcess(scanning);
  await until("it is clean", async () => (await read()).status === 200);
  expect((await read()).text).toBe("some text");
}, 600_000);
