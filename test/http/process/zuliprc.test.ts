/** `owner.zuliprc` after the power went: written anew where it was cut off, left alone where its owner changed it. */
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readConfig } from "../../../http/process/config.ts";
import { startServer } from "../../../http/process/main.ts";
import { createTestDatabase } from "../../support/server/postgres.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let dataDir: string;
let path: string;
beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), "parley-zuliprc-"));
  path = join(dataDir, "owner.zuliprc");
});
afterAll(async () => {
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const startAndStop = async () => {
  const environment = { HOST: "127.0.0.1", PORT: "0", DATABASE_URL: database.url, PARLEY_DATA_DIR: dataDir };
  const server = await startServer(
    readConfig({ ...environment, PARLEY_LOG_LEVEL: "warn", PARLEY_URL: "https://chat.example.com" }),
  );
  await server.stop();
  return server.firstStart;
};

it("is made whole again by the next start, unless it is somebody's own", async () => {
  const first = await startAndStop();
  const whole = await readFile(path, "utf8");
  expect(whole).toBe(`[api]\nemail=owner@example.com\nkey=${first!.apiKey}\nsite=https://chat.example.com\n`);
  for (const left of ["", "\0\0\0\0", "[ap", whole.slice(0, 30), whole.slice(0, -3)]) {
    await writeFile(path, left);
    expect(await startAndStop()).toBeUndefined();
    expect(await readFile(path, "utf8")).toBe(whole);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  }
  const own = "[api]\nkey=k\nemail=me@example.com\nsite=https://other.example.com\ninsecure=true\n";
  await writeFile(path, own);
  await startAndStop();
  expect(await readFile(path, "utf8")).toBe(own);
  await rm(path);
  await startAndStop();
  await expect(readFile(path)).rejects.toThrow(/ENOENT/);
});
