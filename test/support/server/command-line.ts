/** The built command line, as people run it. */
import { spawn } from "node:child_process";
import { resolve } from "node:path";

/** What `parley` is. */
export const commandFile = resolve(import.meta.dirname, "../../../dist/http/process/cli.js");

export interface CommandOutcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `parley …args` to its end. */
export function runCommand(args: string[], environment: Record<string, string>): Promise<CommandOutcome> {
  const child = spawn(process.execPath, [commandFile, ...args], {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const outcome = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (outcome.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (outcome.stderr += chunk.toString()));
  return new Promise((done) => child.once("close", (code) => done({ code, ...outcome })));
}
