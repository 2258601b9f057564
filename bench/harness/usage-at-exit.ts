/** Loaded before a command (`node --import`): writes what its process used into the file that the environment names. */
import { writeFileSync } from "node:fs";

export interface Usage {
  /** User and system time, in µs. */
  cpuMicroseconds: number;
  peakResidentBytes: number;
}

const file = process.env["PARLEY_BENCH_USAGE"];
if (file !== undefined)
  process.on("exit", () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const usage: Usage = { cpuMicroseconds: userCPUTime + systemCPUTime, peakResidentBytes: maxRSS * 1024 };
    writeFileSync(file, JSON.stringify(usage));
  });
