import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A TypeScript module that runs in a Node of its own. */
export interface TypeScriptProcess {
  child: ChildProcess;
  /** The next whole line of its standard output. @throws Error with its standard error if it ends first */
  nextLine(): Promise<string>;
  /** Ends it as `kill -9` does, and waits until it is gone. */
  kill(): Promise<void>;
}

/**
 * Runs the module at the absolute path `file`, with `args` in its `process.argv.slice(1)`, on any Node, without a
 * build.
 */
export function runTypeScript(file: string, args: string[]): TypeScriptProcess {
  const script = 'import { runnerImport } from "vite"; await runnerImport(process.argv[1]);';
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script, file, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (text) => {
    stderr += text;
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    async nextLine() {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${file} ended: ${stderr}`);
      return value;
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
