import { execFile } from "node:child_process";
import { readdir, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readText } from "./data-lock.ts";

/**
 * What a PostgreSQL leaves behind when its Parley, or it, was killed. Two servers on one set of files destroy them, so
 * nothing is taken for stale by its pid alone. On Linux every process of a PostgreSQL stands in its data folder, and
 * that is what is looked at.
 */

// Fast shutdown writes a checkpoint (at most 256 MB); immediate shutdown writes nothing. Together well under the 20 s
// of a start.
const fastShutdownMs = 6_000;
const immediateShutdownMs = 3_000;
const killMs = 3_000;
const pollMs = 20;

/**
 * Ends every PostgreSQL on `data` that can be seen from here, with the caller holding the folder's lock. What it has
 * committed stays, and what it was still doing ends. So nothing of the dead Parley can land later.
 * @returns the pid of the server that was stopped, if there was one
 * @throws Error if something there does not end
 */
export async function endLeftovers(data: string): Promise<number | undefined> {
  const text = await readText(join(data, "postmaster.pid"));
  if (text === undefined && process.platform !== "linux") return undefined;
  const recorded = Number.parseInt(text ?? "", 10);
  let left = await processesOf(data);
  if (left.length === 0) return undefined;
  const postmaster = left.includes(recorded) ? recorded : undefined;
  if (postmaster === undefined)
    left = await waitUntilGone(data, killMs); // Children end by themselves when their postmaster is gone.
  else {
    signal([postmaster], "SIGINT");
    left = await waitUntilGone(data, fastShutdownMs);
    if (left.length > 0) {
      signal([postmaster], "SIGQUIT");
      left = await waitUntilGone(data, immediateShutdownMs);
    }
  }
  if (left.length > 0) {
    signal(left, "SIGKILL");
    left = await waitUntilGone(data, killMs);
    if (left.length > 0) throw new Error(`A PostgreSQL on ${data} does not end (process ${left.join(", ")}).`);
  }
  return postmaster;
}

async function waitUntilGone(data: string, timeoutMs: number): Promise<number[]> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const left = await processesOf(data);
    if (left.length === 0 || performance.now() > deadline) return left;
    await sleep(pollMs);
  }
}

function signal(pids: number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** The pids of all living PostgreSQL processes on `data`; where there is no /proc, of the postmaster only. */
async function processesOf(data: string): Promise<number[]> {
  const folder = await realpath(data);
  if (process.platform !== "linux") return postmastersByCommand(folder);
  const pids: number[] = [];
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      if ((await readText(`/proc/${entry}/comm`))?.trim() !== "postgres") continue;
      if ((await readlink(`/proc/${entry}/cwd`)) === folder) pids.push(Number(entry));
    } catch {
      // It has ended meanwhile, or is another user's, and so not on our files. A zombie has no cwd.
    }
  }
  return pids;
}

function postmastersByCommand(folder: string): Promise<number[]> {
  return new Promise((resolve) => {
    execFile("ps", ["-axo", "pid=,command="], { maxBuffer: 16 * 1024 * 1024 }, (_error, stdout) => {
      const lines = stdout.split("\n").filter((line) => line.includes(`-D ${folder} `));
      resolve(lines.map((line) => Number.parseInt(line, 10)));
    });
  });
}
