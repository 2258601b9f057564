/** The built server in a process of its own, for tests that end it the hard way. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { adminToken } from "../client/as-operator.ts";

const cli = resolve(import.meta.dirname, "../../../dist/http/process/cli.js");

/** A start takes a second; many at once on a busy machine take long, and `npx` installs before it starts. */
const readyWithinMs = 240_000;

export interface ServerProcess {
  url: string;
  pid: number;
  /** Everything it printed. */
  output(): string;
  /** `kill -9`, of its own PostgreSQL too when `withDatabase`. Resolves when they are gone. */
  kill(options?: { withDatabase?: boolean }): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  signal(name: NodeJS.Signals): void;
  /** Whether nobody reads what it prints: its pipe fills. */
  ignoreOutput(isIgnored: boolean): void;
}

/**
 * Starts the server and waits until it is ready.
 * @param environment must hold PORT and PARLEY_DATA_DIR
 * @param command what stands for `parley serve`: that of this folder, unless another is named
 * @param account the system account that it runs as, for tests that are root
 */
export async function startServerProcess(
  environment: Record<string, string>,
  command: readonly string[] = [process.execPath, cli, "serve"],
  account: { uid: number; gid: number } | undefined = undefined,
): Promise<ServerProcess> {
  const child = spawn(command[0]!, command.slice(1), {
    ...account,
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      HOST: "127.0.0.1",
      PARLEY_RATE_LIMITS: "off",
      PARLEY_LOG_LEVEL: "warn",
      PARLEY_WELCOME: "off",
      PARLEY_ADMIN_TOKEN: adminToken,
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout!.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr!.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<number | null>((done) => child.once("exit", (code) => done(code)));
  const url = `http://127.0.0.1:${environment["PORT"]}`;
  try {
    await waitUntilReady(url, child, () => output);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  return {
    url,
    pid: child.pid!,
    output: () => output,
    async kill({ withDatabase = false } = {}) {
      const doomed = withDatabase ? descendantsOf(child.pid!) : [];
      child.kill("SIGKILL");
      for (const pid of doomed) {
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // It went with its parent.
        }
      }
      await exited;
    },
    async stop() {
      child.kill("SIGTERM");
      return exited;
    },
    signal: (name) => void child.kill(name),
    ignoreOutput: (isIgnored) => void (isIgnored ? child.stdout!.pause() : child.stdout!.resume()),
  };
}

/** Whether a program can be started as from a terminal. */
export const hasTerminals = /util-linux/.test(spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "");

/** `startServerProcess` as somebody does at a terminal. */
export async function startOnTerminal(environment: Record<string, string>): Promise<ServerProcess> {
  const typed = `exec '${process.execPath}' '${cli}' serve`;
  const started = await startServerProcess(environment, ["script", "-qefc", typed, "/dev/null"]);
  return { ...started, output: () => started.output().replaceAll("\r\n", "\n") };
}

async function waitUntilReady(url: string, child: ChildProcess, output: () => string): Promise<void> {
  const deadline = Date.now() + readyWithinMs;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}: ${output()}`);
    try {
      if ((await fetch(`${url}/health`)).ok) return;
    } catch {
      // Not listening yet.
    }
    await new Promise((done) => setTimeout(done, 25));
  }
  throw new Error(`the server did not become ready: ${output()}`);
}

/** Processes started by `pid` or by those, from /proc. */
function descendantsOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(join("/proc", name, "stat"), "utf8");
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    } catch {
      // It ended while we looked.
    }
  }
  const found: number[] = [];
  const open = [pid];
  for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
    for (const [child, of] of parents) {
      if (of !== parent) continue;
      found.push(child);
      open.push(child);
    }
  }
  return found;
}
