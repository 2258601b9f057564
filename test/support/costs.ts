/** What test files cost: each tells its processor time at its end, and the run tells the dearest and the sum. */
import { appendFileSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** How many files are told. */
const told = 20;

interface Cost {
  file: string;
  secs: number;
}

/** Clock ticks of Linux, in seconds. */
const tickSecs = 0.01;

/**
 * Processor seconds (user and system) of a process and of its children that have ended. 0 where there is no /proc, or
 * no such process.
 */
export function cpuSecsOf(pid: number | "self"): number {
  try {
    // The name of a process, in brackets, may have spaces in it.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * tickSecs, 0);
  } catch {
    return 0;
  }
}

const file = (folder: string): string => join(folder, "costs.jsonl");

/** Notes what a file has cost. */
export function noteCost(cost: Cost): void {
  appendFileSync(file(tmpdir()), `${JSON.stringify(cost)}\n`);
}

/** What was noted in this folder of a run, in lines for whoever reads the end of a run. */
export function tellCosts(folder: string, postgresSecs: number): string {
  const costs = readCosts(folder).sort((a, b) => b.secs - a.secs);
  if (costs.length < 2) return "";
  const sum = costs.reduce((total, { secs }) => total + secs, 0);
  const lines = costs.slice(0, told).map(({ file, secs }) => `${secs.toFixed(1).padStart(8)} s  ${file}`);
  return [
    `Processor time of ${costs.length} test files: ${sum.toFixed(0)} s, and PostgreSQL's ${postgresSecs.toFixed(0)} s. The dearest:`,
    ...lines,
  ].join("\n");
}

function readCosts(folder: string): Cost[] {
  try {
    const lines = readFileSync(file(folder), "utf8").trim().split("\n");
    return lines.map((line) => JSON.parse(line) as Cost);
  } catch {
    return [];
  }
}
