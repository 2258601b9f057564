import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findPostgresHome } from "../../../storage/embedded-postgres/home.ts";
import { until } from "../time/until.ts";
import { processesOf, systemFoldersOf } from "./leftovers.ts";

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "leftovers-")));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it.each([
  ["environment", () => spawn("sleep", ["1000"], { env: { PATH: process.env["PATH"], DATA: folder } })],
  ["arguments", () => spawn("sh", ["-c", "sleep 1000; :", folder], { env: { PATH: process.env["PATH"] } })],
  ["place", () => spawn("sleep", ["1000"], { env: { PATH: process.env["PATH"] }, cwd: folder })],
])("a process that knows the folder from its %s is found until it is gone", async (_what, start) => {
  const child = start();
  await until("it to be found", () => processesOf(folder).some(({ pid }) => pid === child.pid));
  const ended = once(child, "exit");
  for (const { pid } of processesOf(folder)) process.kill(pid, "SIGKILL");
  await ended;
  await until("it to be gone", () => processesOf(folder).length === 0);
});

it.runIf(process.getuid?.() === 0)(
  "a folder that PostgreSQL was given elsewhere is found (only root's PostgreSQL runs as another account)",
  async () => {
    const dataDir = join(folder, "data");
    await mkdir(dataDir, { mode: 0o700 });
    const elsewhere = await mkdtemp(join("/var/tmp", "leftovers-"));
    try {
      const home = await findPostgresHome(dataDir, () => {}, [elsewhere]);
      expect(home.folder.startsWith(elsewhere)).toBe(true);
      expect(systemFoldersOf(folder, [elsewhere])).toEqual([home.folder]);
      expect(systemFoldersOf(`${folder}-other`, [elsewhere])).toEqual([]);
    } finally {
      await rm(elsewhere, { recursive: true });
    }
  },
);
