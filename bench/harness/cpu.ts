/**
 * CPU time of other processes, from the kernel's own accounting.
 *
 * Linux keeps two clocks per thread: ticks of 10 ms in `/proc/<pid>/stat`, and the scheduler's run time in nanoseconds
 * in `/proc/<pid>/task/<tid>/schedstat`. The second is used, summed over threads (V8's collector and libuv's pool count
 * too). Both include user and system time. Where there is no `/proc`, `ps` is asked, which is good to a hundredth of a
 * second.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

const nanosecondsPerMicrosecond = 1_000;

/**
 * User and system time that the living threads of process `pid` have used so far, in µs. @throws when there is no such
 * process.
 */
export function cpuMicroseconds(pid: number): number {
  let threads: string[];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    return cpuByPs(pid);
  }
  let nanoseconds = 0;
  for (const thread of threads) {
    const text = readIfThere(`/proc/${pid}/task/${thread}/schedstat`);
    if (text !== undefined) nanoseconds += Number(text.slice(0, text.indexOf(" ")));
  }
  return nanoseconds / nanosecondsPerMicrosecond;
}

function cpuByPs(pid: number): number {
  const text = execFileSync("ps", ["-o", "cputime=", "-p", String(pid)], { encoding: "utf8" }).trim();
  // [[dd-]hh:]mm:ss[.cc]
  const [clock, days] = text.split("-").reverse();
  const seconds = clock!.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
  return (Number(days ?? 0) * 86_400 + seconds) * 1_000_000;
}

/** Resident memory of process `pid` in bytes. */
export function residentBytes(pid: number): number {
  const status = readIfThere(`/proc/${pid}/status`);
  const kibibytes =
    status === undefined
      ? execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })
      : (/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? "0");
  return Number(kibibytes) * 1024;
}

/** µs that process `pid` and those of its children that are alive have used so far. */
export function cpuOfTree(pid: number): number {
  let sum = 0;
  for (const used of sampleTree(pid).living.values()) sum += used;
  return sum;
}

/**
 * CPU time of a process and all its children, such as PostgreSQL's postmaster and its backends, between `start` and
 * `read`. A child that ends in between is counted from what the kernel adds to its parent (to 10 ms).
 */
export class ProcessTreeCpu {
  #before: TreeSample;

  constructor(private readonly pid: number) {
    this.#before = sampleTree(pid);
  }

  /** µs used since construction. NaN where there is no `/proc`. */
  read(): number {
    const now = sampleTree(this.pid);
    let sum = now.reaped - this.#before.reaped;
    for (const [pid, used] of now.living) sum += used - (this.#before.living.get(pid) ?? 0);
    for (const [pid, used] of this.#before.living) if (!now.living.has(pid)) sum -= used;
    return Math.max(0, sum);
  }
}

interface TreeSample {
  living: Map<number, number>;
  /** µs of the children that have ended and been waited for. */
  reaped: number;
}

/** `USER_HZ`, which the kernel's interface fixes at 100 on every architecture Node runs on. */
const microsecondsPerTick = 10_000;

function sampleTree(pid: number): TreeSample {
  const stat = statFields(pid);
  if (stat === undefined) return { living: new Map(), reaped: Number.NaN };
  const living = new Map([[pid, cpuMicroseconds(pid)]]);
  for (const name of readdirSync("/proc")) {
    const child = Number(name);
    if (!Number.isInteger(child) || Number(statFields(child)?.[1]) !== pid) continue;
    living.set(child, cpuMicroseconds(child));
  }
  return { living, reaped: (Number(stat[13]) + Number(stat[14])) * microsecondsPerTick };
}

/**
 * The fields of `/proc/<pid>/stat` from the third on: state, ppid, … (the second, a name in brackets, may hold spaces).
 */
function statFields(pid: number): string[] | undefined {
  const text = readIfThere(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(")") + 2).split(" ");
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
