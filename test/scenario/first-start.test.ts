/**
 * The owner's password and key: kept in a file before anything can go wrong. The file is named while nobody can have
 * read of it. They are shown on a terminal alone.
 */
import { readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { freePort } from "../../storage/embedded-postgres/port.ts";
import { ApiClient, expectSuccess } from "../support/client/api.ts";
import { runCommand } from "../support/server/command-line.ts";
import { dataFolder } from "../support/server/folder.ts";
import { createTestDatabase } from "../support/server/postgres.ts";
import { hasTerminals, startOnTerminal, startServerProcess } from "../support/server/server-process.ts";

it("a start that fails half-way names the file of its owner's, and the next one does, and neither shows more", async () => {
  await withFirstStart(async (environment, folder) => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(Number(environment["PORT"]), "127.0.0.1", resolve));
    const failed = await runCommand(["serve"], environment);
    await new Promise((resolve) => taken.close(resolve));
    expect(failed.code).toBe(1);
    const file = join(folder, "owner-password");
    expect(failed.stdout).toContain(file);
    const [password, key] = await secretsIn(`${file}.new`);
    expect((await stat(`${file}.new`)).mode & 0o777).toBe(0o600);

    const second = await startServerProcess(environment);
    const anybody = new ApiClient({ url: second.url });
    expectSuccess(await anybody.post("/fetch_api_key", { username: "owner@example.com", password }));
    await second.stop();
    expect(second.output()).toContain(file);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await secretsIn(file)).toEqual([password, key]);

    const third = await startServerProcess(environment);
    await third.stop();
    expect(third.output()).not.toContain(file);
    for (const secret of [password!, key!])
      expect(failed.stdout + failed.stderr + second.output() + third.output()).not.toContain(secret);
  });
}, 240_000);

it.skipIf(!hasTerminals)(
  "a terminal is shown both (skipped where there is no util-linux)",
  async () => {
    await withFirstStart(async (environment, folder) => {
      const first = await startOnTerminal(environment);
      await first.stop();
      for (const secret of await secretsIn(join(folder, "owner-password"))) expect(first.output()).toContain(secret);
    });
  },
  240_000,
);

async function withFirstStart(run: (environment: Record<string, string>, folder: string) => Promise<void>) {
  const [database, folder, port] = await Promise.all([createTestDatabase(), dataFolder("first"), freePort()]);
  try {
    const HOST = "127.0.0.1";
    await run({ HOST, PORT: String(port), PARLEY_DATA_DIR: folder, DATABASE_URL: database.url }, folder);
  } finally {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The password and the key of the owner. */
async function secretsIn(file: string): Promise<string[]> {
  return [...(await readFile(file, "utf8")).matchAll(/^(?:password|key)=(.{12,})$/gm)].map((match) => match[1]!);
}
