import { existsSync } from "node:fs";
import { chmod, mkdtemp, readdir, realpath, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../../../storage/embedded-postgres/embedded-postgres.ts";
import { systemDataFolders } from "../../../storage/embedded-postgres/home.ts";
import { cpuSecsOf, tellCosts } from "../costs.ts";
import { dataFolder } from "./folder.ts";
import { processesOf, systemFoldersOf } from "./leftovers.ts";
import { makeTemplates, type Templates } from "./template.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A PostgreSQL on which `createTestDatabase` may make databases. */
    databaseUrl: string;
    /** What servers of tests begin with. */
    templates: Templates;
  }
}

/** Linux keeps the files of this folder in memory. */
const memoryFolder = "/dev/shm";
/** So many bytes are free there, and of memory, where a run uses it. A run holds at most some two gigabytes. */
const enoughBytes = 6e9;

/** What is being ended has so long to be gone. */
const goneWithinMs = 60_000;

/**
 * Runs once before all test files: gives them a folder for whatever is temporary, and the PostgreSQL that each makes
 * its own databases in. That is the one named by `TEST_DATABASE_URL` or `DATABASE_URL`, whose user must be allowed to
 * create databases, or one of our own for this run. At the end nothing of the run is there any more; what tests left is
 * named, and fails it.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // By its real path, which is how processes name it.
  const folder = await realpath(await mkdtemp(join(await temporaryRoot(), `parley-tests-${process.pid}-`)));
  // PostgreSQL runs as another account when this is root.
  await chmod(folder, 0o755);
  process.env["TMPDIR"] = folder;
  const postgres = await startPostgres();
  const { url } = postgres;
  project.provide("databaseUrl", url);
  project.provide("templates", await makeTemplates(url));
  return async () => {
    const costs = tellCosts(folder, postgres.pid === undefined ? 0 : cpuSecsOf(postgres.pid));
    if (costs !== "") console.log(costs);
    await postgres.stop();
    const left = await endAll(folder);
    await rm(folder, { recursive: true, force: true });
    if (left.length === 0) return;
    // The runner tells what a teardown throws, and would still end with success.
    process.exitCode = 1;
    throw new Error(`The tests left behind, which is ended and removed now:\n${left.join("\n")}`);
  };
}

/**
 * Where the folder of a run goes: in memory if there is enough. A database is some hundred files, and making and
 * removing them on a disk takes PostgreSQL five times the processor time. `TMPDIR` names another place.
 */
async function temporaryRoot(): Promise<string> {
  if (process.env["TMPDIR"]) return tmpdir();
  try {
    const { bavail, bsize } = await statfs(memoryFolder);
    if (bavail * bsize < enoughBytes || process.availableMemory() < enoughBytes) return tmpdir();
    // A run that was killed left its folder, which holds memory until the machine starts again.
    for (const name of await readdir(memoryFolder)) {
      const pid = /^parley-tests-(\d+)-/.exec(name)?.[1];
      if (pid !== undefined && !existsSync(`/proc/${pid}`))
        await rm(join(memoryFolder, name), { recursive: true, force: true });
    }
    // Some systems forbid to write there.
    await rm(await mkdtemp(join(memoryFolder, `parley-tests-${process.pid}-`)), { recursive: true });
    return memoryFolder;
  } catch {
    return tmpdir();
  }
}

/** `pid` is undefined of one that is not ours. */
async function startPostgres(): Promise<{ url: string; pid?: number; stop(): Promise<void> }> {
  const given = process.env["TEST_DATABASE_URL"] || process.env["DATABASE_URL"];
  if (given) return { url: given, stop: async () => {} };
  const dataDir = await dataFolder("shared");
  return startEmbeddedPostgres({ dataDir, isDurable: false, notify: (line) => console.error(line) });
}

/** Ends the processes and removes the folders that a run left. Returns what they were. */
async function endAll(folder: string): Promise<string[]> {
  const deadline = Date.now() + goneWithinMs;
  let processes = processesOf(folder);
  while (processes.length > 0 && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    processes = processesOf(folder);
  }
  for (const { pid } of processes) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by now.
    }
  }
  const folders = systemFoldersOf(folder, systemDataFolders);
  for (const path of folders) await rm(path, { recursive: true, force: true });
  return [...processes.map(({ pid, command }) => `process ${pid}: ${command}`), ...folders];
}
