/**
 * What the end of the power leaves: files that are there and empty, or hold a part. The next start makes things right.
 */
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeFolderDurably, removeUnfinished, writeDurably } from "../../storage/durable-file.ts";
import { startEmbeddedPostgres } from "../../storage/embedded-postgres/embedded-postgres.ts";

let folder: string;
let notes: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-power-"));
  await chmod(folder, 0o755);
  notes = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("a file written durably", () => {
  it("is whole, has its mode, and leaves nothing beside it", async () => {
    const path = join(folder, "a/b/secret");
    await makeFolderDurably(join(folder, "a/b"), 0o700);
    await writeDurably(path, "one", { mode: 0o600 });
    await writeDurably(path, "two", { mode: 0o600 });
    expect(await readFile(path, "utf8")).toBe("two");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, "a/b"))).toEqual(["secret"]);
  });

  it("is the old one where the new one cannot be written", async () => {
    const path = join(folder, "secret");
    await writeDurably(path, "old", { mode: 0o600 });
    await expect(writeDurably(join(folder, "missing/secret"), "new", { mode: 0o600 })).rejects.toThrow(/ENOENT/);
    expect(await readFile(path, "utf8")).toBe("old");
  });

  it("is not mistaken for what a write that was cut off has left", async () => {
    const path = join(folder, "secret");
    await writeDurably(path, "old", { mode: 0o600 });
    await writeFile(`${path}.0123456789ab.part`, "");
    await writeFile(`${path}.mine`, "");
    await removeUnfinished(path);
    expect((await readdir(folder)).sort()).toEqual(["secret", "secret.mine"]);
  });
});

describe("the embedded PostgreSQL", () => {
  const start = () =>
    startEmbeddedPostgres({ dataDir: folder, notify: (line) => void notes.push(line), isDurable: false });
  const ask = async (url: string, statement: string) => {
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    try {
      return [...(await sql.unsafe(statement))];
    } finally {
      await sql.end({ timeout: 1 });
    }
  };

  it("starts with an empty, a cut-off, a zeroed and a missing password, and keeps its data", async () => {
    const first = await start();
    await ask(first.url, "create table kept as select 1 as one");
    await first.stop();
    const path = join(first.dataDir, "password");
    const whole = await readFile(path, "utf8");
    for (const left of ["", whole.slice(0, 20), "\0".repeat(whole.length), undefined]) {
      notes = [];
      if (left === undefined) await rm(path);
      else await writeFile(path, left);
      const again = await start();
      try {
        expect(await ask(again.url, "select one from kept")).toEqual([{ one: 1 }]);
      } finally {
        await again.stop();
      }
      expect(notes).toEqual([expect.stringContaining("was not whole")]);
      expect(await readFile(path, "utf8")).toMatch(/^[0-9a-f]{48}\n$/);
    }
    // The one that is whole now is kept.
    notes = [];
    const last = await start();
    await last.stop();
    expect(notes).toEqual([]);
  });
});
