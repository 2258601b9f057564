import { createHash } from "node:crypto";
import { chmod, chown, mkdir, realpath, rm, rmdir, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { basename, isAbsolute, join } from "node:path";
import { writeDurably } from "../durable-file.ts";
import { type Account, canEnter, nameOf, postgresAccount, run } from "./account.ts";
import { readText } from "./data-lock.ts";

/** Where the embedded PostgreSQL keeps everything of its own, and as whom it runs. */
export interface PostgresHome {
  /** Absolute, owned by the account that PostgreSQL runs as, mode 0700. */
  folder: string;
  account: Account | undefined;
}

/**
 * Folders for system-wide data, tried in this order when Parley's data folder is out of reach for PostgreSQL's account.
 */
export const systemDataFolders: readonly string[] = ["/var/lib/parley", "/srv/parley", "/opt/parley"];

/** Written into the data folder when the database lives elsewhere: one line, the absolute path. */
const locationFile = "postgres-location";

/**
 * Finds the home of the PostgreSQL that belongs to `dataDir`. It is `<dataDir>/postgres`. If this is root and the
 * account for PostgreSQL cannot enter that, it is a folder under `systemFolders` named after `dataDir`. Such a choice
 * is written into `dataDir`, so later starts keep to it, and is told through `notify` each time.
 * @throws Error if no folder will do
 */
export async function findPostgresHome(
  dataDir: string,
  notify: (line: string) => void,
  systemFolders: readonly string[] = systemDataFolders,
): Promise<PostgresHome> {
  await mkdir(dataDir, { recursive: true });
  const requested = await realpath(dataDir);
  const here = join(requested, "postgres");
  const written = (await readText(join(requested, locationFile)))?.replaceAll("\0", "").trim();
  // A power cut may have left the file without its line: the database is where it would have been put.
  const isCutOff = written === "";
  const location = isCutOff ? undefined : written;
  if (location !== undefined && !isAbsolute(location)) {
    throw new Error(`${join(requested, locationFile)} does not hold an absolute path.`);
  }
  const account = await postgresAccount(location ?? here, notify);
  if (location !== undefined) {
    if (account !== undefined) tellMoved(requested, location, account, notify);
    await prepare(location, account);
    if (!(await canEnter(account, location))) throw outOfReach(location, account);
    return { folder: location, account };
  }

  const hasData = await exists(join(here, "data"));
  await prepare(here, account);
  if (await canEnter(account, here)) return { folder: here, account };
  if (account === undefined || hasData) throw outOfReach(here, account);
  await rmdir(here).catch(() => {}); // Whoever put something into it may want it.
  const root = await reachable(account, systemFolders);
  if (root === undefined) throw outOfReach(here, account);
  const folder = await homeBelow(root, requested, isCutOff, notify);
  await prepare(folder, account);
  await writeDurably(join(requested, locationFile), `${folder}\n`, { mode: 0o644 });
  tellMoved(requested, folder, account, notify);
  return { folder, account };
}

/**
 * Makes `folder` if it is not there, and the account's own.
 * @throws Error if it is somebody else's, and this is not root
 */
async function prepare(folder: string, account: Account | undefined): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (account === undefined) return refuseStrangers(folder);
  const { uid, gid } = await stat(folder);
  if (uid !== account.uid || gid !== account.gid) await chown(folder, account.uid, account.gid);
}

/** PostgreSQL serves nobody's files but those of the account that it runs as. */
async function refuseStrangers(folder: string): Promise<void> {
  for (const path of [folder, join(folder, "data")]) {
    const uid = (await stat(path).catch(() => undefined))?.uid;
    if (uid === undefined || uid === process.getuid?.()) continue;
    throw new Error(
      `${path} belongs to ${await nameOf(uid)}, and this is ${userInfo().username}: start Parley as ${await nameOf(uid)}, ` +
        `or have root give it all (chown -R ${userInfo().username} ${folder}).`,
    );
  }
}

/**
 * Makes everything in a home the account's own that PostgreSQL runs as: what was copied there as root, or under another
 * number, is not. Only for the holder of the folder's lock.
 * @throws Error if it cannot be given to that account
 */
export async function takeOver({ folder, account }: PostgresHome, notify: (line: string) => void): Promise<void> {
  const data = join(folder, "data");
  const found = await stat(data).catch(() => undefined);
  if (account === undefined || found === undefined || found.uid === account.uid) return;
  const owner = await nameOf(found.uid);
  const paths = [data, join(folder, "password")];
  // -h: a link in it must not lead to somebody else's files.
  const given = await run(undefined, "chown", ["-R", "-h", `${account.uid}:${account.gid}`, ...paths]);
  if (given.code !== 0)
    throw new Error(
      `${data} belongs to ${owner} and could not be given to ${account.name}, as whom PostgreSQL runs: ${given.stderr.trim()}`,
    );
  notify(`${data} belonged to ${owner}; it is the account ${account.name}'s now, as whom PostgreSQL runs.`);
}

/** The first of `folders` that can be made and that the account can enter. */
async function reachable(account: Account, folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    try {
      await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
      });
      await chmod(folder, 0o755); // A strict umask would lock the account out of our own folder.
    } catch {
      continue; // This system has no such place, or it is read-only.
    }
    if (await canEnter(account, folder)) return folder;
  }
  return undefined;
}

/**
 * `<root>/<name of the data folder>-<hash of its path>`: the same for the same data folder. So two first starts at once
 * meet at one lock. If that holds a database to which `requested` does not point any more, somebody emptied `requested`
 * to begin anew. The old one is left alone, and the next free number is taken. Where it `isKnown` that there was one,
 * the last one before it is taken.
 */
async function homeBelow(
  root: string,
  requested: string,
  isKnown: boolean,
  notify: (line: string) => void,
): Promise<string> {
  const hash = createHash("sha256").update(requested).digest("hex").slice(0, 12);
  const name = `${basename(requested).replace(/[^\w.-]/g, "_") || "root"}-${hash}`;
  for (let number = 1; ; number += 1) {
    const folder = join(root, number === 1 ? name : `${name}-${number}`);
    if (!(await exists(join(folder, "data")))) return folder;
    if (isKnown && !(await exists(join(root, `${name}-${number + 1}`, "data")))) return folder;
    notify(`${requested} is empty, so this begins anew; the database it had before is kept in ${folder}.`);
  }
}

function tellMoved(requested: string, folder: string, account: Account, notify: (line: string) => void): void {
  notify(`PostgreSQL runs as ${account.name}, which cannot enter ${requested}: its data is in ${folder}.`);
}

function outOfReach(folder: string, account: Account | undefined): Error {
  const who = account === undefined ? "this user" : `the account ${account.name}`;
  return new Error(
    `PostgreSQL would run as ${who}, which cannot enter ${folder}. Set PARLEY_DATA_DIR or DATABASE_URL.`,
  );
}

/** Whether there is something at `path` that we may know of. */
export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/** Removes a folder with all in it, if it is there. */
export function removeFolder(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true });
}
