/** The server of an earlier commit of this project, built in a folder of its own. */
import { spawn } from "node:child_process";
import { readFile, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { dataFolder } from "./folder.ts";

const root = resolve(import.meta.dirname, "../../..");

/**
 * The commit that was the newest a day before the newest one: what other nodes still run while this version is put in
 * their place. Undefined: this is no clone, or one without that history.
 */
export async function neighbour(): Promise<string | undefined> {
  const newest = await run("git", ["log", "-1", "--format=%ct"], root).catch(() => undefined);
  if (newest === undefined) return undefined;
  const before = Number(newest) - 86_400;
  const commit = (await run("git", ["rev-list", "-1", `--before=${before}`, "HEAD"], root)).trim();
  return commit === "" ? undefined : commit;
}

/**
 * Builds it, with its own packages where they are not those of today.
 * @returns its folder and what stands for `parley serve`
 */
export async function buildOlder(commit: string): Promise<{ folder: string; command: string[] }> {
  const folder = await dataFolder("older");
  await run("sh", ["-c", 'git archive "$0" | tar -x -C "$1"', commit, folder], root);
  const [today, then] = await Promise.all([root, folder].map((at) => readFile(join(at, "package-lock.json"), "utf8")));
  if (today === then) await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  else await run("npm", ["ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"], folder);
  const bin = join(folder, "node_modules/.bin");
  // Its types were checked when it was made, against the packages of then.
  await run(join(bin, "tsc"), ["-p", "tsconfig.build.json", "--noCheck"], folder);
  await run(process.execPath, ["build.mjs"], folder);
  return { folder, command: [process.execPath, join(folder, "dist/http/process/cli.js"), "serve"] };
}

/** @returns what it printed @throws Error with its output when it fails */
function run(program: string, args: string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    let [output, errors] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    child.once("error", reject);
    child.once("close", (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${program} ended with ${code}: ${output}${errors}`)),
    );
  });
}
