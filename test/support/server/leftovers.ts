/**
 * What a run of the tests leaves behind. All that a run makes lies in one folder of its own. Every process of it knows
 * that folder from its environment, its arguments or the place where it stands. Processes are looked for where there is
 * a /proc.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

export interface LeftProcess {
  pid: number;
  command: string;
}

/** Processes that know the folder of a run, but for this one and the test runner's own. */
export function processesOf(folder: string): LeftProcess[] {
  if (!existsSync("/proc/self/environ")) return [];
  const found: LeftProcess[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    try {
      const read = (file: string) => readFileSync(join("/proc", name, file), "utf8");
      const command = read("cmdline").replaceAll("\0", " ").trim();
      // Without a command it is ending already. The runner's workers are its own to end.
      if (command === "" || /^node \(vitest/.test(command)) continue;
      const place = readlinkSync(join("/proc", name, "cwd"));
      if ([command, read("environ"), place].some((text) => text.includes(folder)))
        found.push({ pid: Number(name), command: command.slice(0, 200) });
    } catch {
      // It ended meanwhile, or is somebody else's.
    }
  }
  return found;
}

/**
 * Folders below `systemFolders` that a PostgreSQL was given because it could not enter its data folder in `folder`.
 * Their names end with a hash of that data folder's path.
 */
export function systemFoldersOf(folder: string, systemFolders: readonly string[]): string[] {
  return systemFolders.filter(existsSync).flatMap((root) =>
    readdirSync(root)
      .filter((name) => {
        const [, base, hash] = /^(.+)-([0-9a-f]{12})(?:-\d+)?$/.exec(name) ?? [];
        return base !== undefined && hash === hashOf(join(folder, base));
      })
      .map((name) => join(root, name)),
  );
}

const hashOf = (path: string) => createHash("sha256").update(path).digest("hex").slice(0, 12);
