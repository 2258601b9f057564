import { type ChildProcessByStdio, spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";

/** The system account that PostgreSQL runs as, when that is not the one that Parley runs as. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

/** How a command ended: its exit code (`null` after a signal or when it could not start), and what it printed. */
export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** What the commands of PostgreSQL see: nothing of the caller's `PG*`, `LD_*` and locale settings. */
export const cleanEnvironment = { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C", TZ: "UTC" };

/**
 * Runs a command to its end as `account`, or as this process's own user. Never rejects.
 * @param options.lockFd an open file that it holds too
 */
export function run(
  account: Account | undefined,
  file: string,
  args: string[],
  options: { input?: string; environment?: Record<string, string>; lockFd?: number } = {},
): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      ...(account && { uid: account.uid, gid: account.gid }),
      cwd: "/", // The account may not be allowed into ours.
      env: options.environment ?? cleanEnvironment,
      stdio: ["pipe", "pipe", "pipe", options.lockFd ?? "ignore"],
    }) as ChildProcessByStdio<Writable, Readable, Readable>;
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.on("error", (error) => resolve({ code: null, stdout, stderr: stderr + error.message }));
    child.on("close", (code) => resolve({ code, stdout, stderr }));
    child.stdin.on("error", () => {}); // It ended without reading all: its exit code tells.
    child.stdin.end(options.input ?? "");
  });
}

/**
 * The account for PostgreSQL, which refuses to run as root. It is `undefined` (this process's own) unless this is root.
 * For root it is the owner of `home` if that is somebody, else the account `parley` or `postgres`, else a new system
 * account `parley`.
 * @throws Error if there is none and none can be made
 */
export async function postgresAccount(home: string, notify: (line: string) => void): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(home).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) {
    return { name: await nameOf(owner.uid), uid: owner.uid, gid: owner.gid };
  }
  const found = (await accountNamed("parley")) ?? (await accountNamed("postgres"));
  if (found !== undefined) return found;
  const useradd = ["--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent"];
  const made = await run(undefined, "useradd", [...useradd, "--shell", "/usr/sbin/nologin", "parley"]);
  // BusyBox systems have adduser instead.
  if (made.code !== 0) await run(undefined, "adduser", ["-S", "-D", "-H", "-h", "/nonexistent", "parley"]);
  const created = await accountNamed("parley");
  if (created === undefined) {
    throw new Error(
      "PostgreSQL does not run as root, and no account for it could be made " +
        `(${made.stderr.trim() || "useradd failed"}). Start Parley as another user, or set DATABASE_URL.`,
    );
  }
  notify("PostgreSQL does not run as root: the system account parley was made for it.");
  return created;
}

/** What people call the account with this number. */
export async function nameOf(uid: number): Promise<string> {
  return (await run(undefined, "id", ["-nu", String(uid)])).stdout.trim() || `uid ${uid}`;
}

async function accountNamed(name: string): Promise<Account | undefined> {
  const [uid, gid] = await Promise.all(["-u", "-g"].map((flag) => run(undefined, "id", [flag, name])));
  if (uid?.code !== 0 || gid?.code !== 0) return undefined;
  return { name, uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

/** Whether `account` may enter `folder` and list it, asked of the kernel and not guessed from modes. */
export async function canEnter(account: Account | undefined, folder: string): Promise<boolean> {
  const { code } = await run(account, "/bin/sh", ["-c", 'cd "$1" && test -r . && test -x .', "sh", folder]);
  return code === 0;
}
