import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { type FileHandle, open, readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { codeOf } from "../failures.ts";

/**
 * Who holds a data folder. The kernel knows. A lock goes with a file that is open, and ends with the last process that
 * has it open, however that one ends. The process may run in any container, or on any machine that shares the disk. The
 * lock's file is never removed, or two could each lock a file of that name. What it says of its holder is for people.
 */

/** The data folder is held by another Parley that lives: `pid` says which, as its own container counts. */
export class DataDirInUse extends Error {
  override name = "DataDirInUse";
  readonly pid: number;
  /** @param holder undefined: it has not said yet who it is */
  constructor(folder: string, holder: Holder | undefined) {
    const { pid = -1, host = hostname(), since = "" } = holder ?? {};
    const where = host === hostname() ? "" : ` on ${host}`;
    super(
      `${folder} is in use by another Parley${holder ? `: process ${pid}${where}, since ${since}` : ""}. ` +
        "Stop that one first, or give this one its own folder with PARLEY_DATA_DIR.",
    );
    this.pid = pid;
  }
}

/** A host's name has at most 255 bytes. */
const holderLength = 512;

interface Holder {
  pid: number;
  /** Undefined in what a Parley of before wrote. */
  host: string | undefined;
  /** When that process started, as `processStart` tells it. */
  start: string;
  /** When it took the lock, ISO 8601. */
  since: string;
}

/**
 * Takes the lock of `folder` for this process; the result gives it back.
 * @throws DataDirInUse if a living process has it (this one included)
 */
export async function lockDataDir(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, "parley.lock");
  const file = await lockFile(path);
  const found = parseHolder((await readText(path)) ?? "");
  // A Parley of before wrote no host, and locked nothing.
  const isHeldAsBefore = found?.host === undefined && (await processStart(found?.pid ?? 0)) === found?.start;
  if (file === undefined || (found && isHeldAsBefore)) {
    await file?.close();
    throw new DataDirInUse(folder, found);
  }
  const holder: Holder = {
    pid: process.pid,
    host: hostname(),
    start: (await processStart(process.pid)) ?? "",
    since: new Date().toISOString(),
  };
  // In one piece, over all that a holder before may have written.
  await file.write(JSON.stringify(holder).padEnd(holderLength), 0);
  return () => file.close();
}

/**
 * Opens and locks a file, which is made if it is not there. The lock lasts until every process that was given the open
 * file has closed it.
 * @returns undefined if somebody has it
 * @throws Error that says in one sentence why nothing can be locked there
 */
export async function lockFile(path: string): Promise<FileHandle | undefined> {
  // Loaded here: a server with a database of its own needs no locks, nor a machine that has them.
  const { tryLock } = await import("fs-native-extensions").catch((error: Error) => {
    throw new Error(`Parley cannot lock files on this kind of machine (${error.message}). Set DATABASE_URL.`);
  });
  // The folder belongs to a less privileged account, which must not lead root elsewhere by a link.
  const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o644);
  try {
    if (tryLock(file.fd)) return file;
  } catch (error) {
    await file.close();
    const code = codeOf(error);
    throw new Error(
      `The file system of ${path} cannot lock files (${code}), so two servers could destroy each other's data there. ` +
        "Set PARLEY_DATA_DIR to another one, or set DATABASE_URL.",
    );
  }
  await file.close();
  return undefined;
}

/** The file's text, or `undefined` if there is no such file. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** What a lock's file says; `undefined` for what no Parley wrote whole. */
function parseHolder(text: string): Holder | undefined {
  try {
    const { pid, host, start, since }: Record<keyof Holder, unknown> = JSON.parse(text);
    if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
    if (typeof start !== "string" || typeof since !== "string") return undefined;
    return { pid, host: typeof host === "string" ? host : undefined, start, since };
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
