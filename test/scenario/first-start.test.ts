/**
 * The owner's password: shown before anything can go wrong, again while nobody can have seen it, and kept in a file.
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
import { startServerProcess } from "../support/server/server-process.ts";

it("is shown by a start that fails half-way and by the next one, then only in a file of its owner's", async () => {
  const [database, folder, port] = await Promise.all([createTestDatabase(), dataFolder("first"), freePort()]);
  const environment = { HOST: "127.0.0.1", PORT: String(port), PARLEY_DATA_DIR: folder, DATABASE_URL: database.url };
  const taken = createServer();
  try {
    await new Promise<void>((resolve) => taken.listen(port, "127.0.0.1", resolve));
    const failed = await runCommand(["serve"], environment);
    expect(failed.code).toBe(1);
    const shown = passwordIn(failed.stdout);
    await new Promise((resolve) => taken.close(resolve));
    expect((await stat(join(folder, "owner-password.new"))).mode & 0o777).toBe(0o600);

    const second = await startServerProcess(environment);
    expect(passwordIn(second.output())).toBe(shown);
    const anybody = new ApiClient({ url: second.url });
    expectSuccess(await anybody.post("/fetch_api_key", { username: "owner@example.com", password: shown! }));
    await second.stop();
    const file = join(folder, "owner-password");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, "utf8")).toContain(`password=${shown}\n`);

    const third = await startServerProcess(environment);
    await third.stop();
    expect(passwordIn(third.output())).toBeUndefined();
  } finally {
    taken.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  }
}, 240_000);

const passwordIn = (output: string): string | undefined => /^ {2}Password {2}(\S+)$/m.exec(output)?.[1];
