import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Who holds a data folder.
 *
 * `parley.lock` names its holder by pid and by the moment that process started, for a pid alone may be another process
 * by now. It appears by `link` of a finished draft, so nobody reads half of it. A lock whose holder is gone is replaced
 * only by the one that holds `parley.lock.takeover`, a lock of the same kind, and that still reads in it what it
 * judged: so of two that find the same stale lock, only one gets it.
 */

/** The data folder is held by another Parley that lives: `pid` says which. */
export class DataDirInUse extends Error {
  override name = "DataDirInUse";
  readonly pid: number;
  constructor(folder: string, pid: number, since: string) {
    super(
      `${folder} is in use by another Parley: process ${pid}, since ${since}. ` +
        "Stop that one first, or give this one its own folder with PARLEY_DATA_DIR.",
    );
    this.pid = pid;
  }
}

interface Holder {
  pid: number;
  /** When that process started, as `processStart` tells it. */
  start: string;
  /** When it took the lock, ISO 8601. */
  since: string;
  /** Makes every lock's text its own, so that "still the same text" means "still the same lock". */
  nonce: string;
}

/**
 * Takes the lock of `folder` for this process; the result gives it back.
 * @throws DataDirInUse if a living process has it (this one included)
 */
export async function lockDataDir(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, "parley.lock");
  const holder: Holder = {
    pid: process.pid,
    start: (await processStart(process.pid)) ?? "",
    since: new Date().toISOString(),
    nonce: randomUUID(),
  };
  const text = JSON.stringify(holder);
  await acquire(folder, path, text);
  return async () => {
    if ((await readText(path)) === text) await rm(path, { force: true });
  };
}

// Each round is lost only to a lock that was let go or taken in that moment; more rounds than this are no accident.
const maxRounds = 20;

async function acquire(folder: string, path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, text, { mode: 0o644, flag: "wx" });
  try {
    for (let round = 0; round < maxRounds; round += 1) {
      if (await linked(draft, path)) return;
      const found = await readText(path);
      if (found === undefined) continue;
      const holder = parseHolder(found);
      if (holder !== undefined && (await processStart(holder.pid)) === holder.start) {
        throw new DataDirInUse(folder, holder.pid, holder.since);
      }
      const takeover = `${path}.takeover`;
      await acquire(folder, takeover, text);
      try {
        if ((await readText(path)) === found) return await rename(draft, path);
      } finally {
        await rm(takeover, { force: true });
      }
    }
    throw new Error(`${path} changes hands too fast to be taken`);
  } finally {
    await rm(draft, { force: true });
  }
}

async function linked(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** The file's text, or `undefined` if there is no such file. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** The lock's content; `undefined` for what no Parley wrote whole, which nobody can hold. */
function parseHolder(text: string): Holder | undefined {
  try {
    const { pid, start, since, nonce } = JSON.parse(text) as Holder;
    const isWhole = Number.isSafeInteger(pid) && pid > 0 && typeof start === "string" && typeof since === "string";
    return isWhole ? { pid, start, since, nonce } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A text that tells apart all processes that ever had this pid, or `undefined` if none has it now (a zombie counts as
 * none). On Linux the boot and the clock tick of its start, elsewhere what `ps` prints.
 */
export async function processStart(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") {
    // Source: proc(5). The name in parentheses may hold spaces and parentheses; state is field 3, starttime field 22.
    const stat = await readText(`/proc/${pid}/stat`).catch(() => undefined); // ESRCH: it ended while we read.
    const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields?.[19] === undefined || fields[0] === "Z" || fields[0] === "X") return undefined;
    return `${(await readText("/proc/sys/kernel/random/boot_id"))?.trim() ?? ""}:${fields[19]}`;
  }
  return new Promise((resolve) => {
    execFile("ps", ["-o", "lstart=", "-p", String(pid)], { env: { ...process.env, LC_ALL: "C" } }, (error, stdout) => {
      resolve(error || stdout.trim() === "" ? undefined : stdout.trim());
    });
  });
}
