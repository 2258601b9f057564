/** Processes that open what strangers made: nothing of this server is in them, and little memory is theirs. */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Starts one. What it sends is structured data, not JSON.
 * @param program file name of the `.mjs` beside the module
 * @param beside `import.meta.url` of the module
 * @param gone called when it has ended, whatever the cause, perhaps twice
 */
export function startIsolated(program: string, beside: string, gone: (child: ChildProcess) => void): ChildProcess {
  const child = fork(fileURLToPath(new URL(program, beside)), {
    // No environment: it has passwords in it.
    env: {},
    execArgv: ["--max-old-space-size=128"],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  child.on("exit", () => gone(child));
  child.on("error", () => gone(child));
  return child;
}
