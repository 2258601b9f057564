/**
 * A process of the bench, spoken to over Node's IPC channel: a question is `{ id, ask, body }`, its answer `{ id, body
 * }` or `{ id, error }`. The server under test is one too: `probe.ts`, loaded into it before its own code, answers
 * there.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Flags for every server, Parley and floors alike, so that they are compared on equal terms. */
const serverFlags = ["--expose-gc"];

export interface ChildOptions {
  /** Compiled file to run, such as `new URL("../floor/uws-hello.js", import.meta.url)`. */
  script: URL;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Where its stdout and stderr go. */
  logFile: string;
  /** The program that runs Node; this process's own unless told. */
  node?: string;
  /** Loaded before the script, for scripts that do not speak IPC themselves. */
  preload?: URL;
}

/** Milliseconds a child has to end after SIGTERM before it is killed: more than Parley's promised 5 s of draining. */
const endingMs = 10_000;

const logTailCharacters = 2_000;

interface Waiting {
  resolve(body: unknown): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

export class Child {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  constructor(readonly options: ChildOptions) {
    const log = openSync(options.logFile, "a");
    const preload = options.preload === undefined ? [] : ["--import", options.preload.href];
    this.#process = fork(fileURLToPath(options.script), [...(options.args ?? [])], {
      execArgv: [...serverFlags, ...preload],
      ...(options.node !== undefined && { execPath: options.node }),
      env: { ...process.env, ...options.env },
      stdio: ["ignore", log, log, "ipc"],
      serialization: "advanced",
    });
    closeSync(log);
    this.#process.on("message", (message: { id: number; body?: unknown; error?: string }) => {
      const waiting = this.#waiting.get(message.id);
      if (waiting === undefined) return;
      this.#settle(message.id);
      if (message.error === undefined) waiting.resolve(message.body);
      else waiting.reject(new Error(message.error));
    });
    this.#process.on("exit", (code, signal) => {
      for (const [id, waiting] of this.#waiting) {
        this.#settle(id);
        waiting.reject(new Error(`${options.script.pathname} ended (${signal ?? code}):\n${this.logTail()}`));
      }
    });
  }

  get pid(): number {
    if (this.#process.pid === undefined) throw new Error(`could not start ${this.options.script.pathname}`);
    return this.#process.pid;
  }

  get hasEnded(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  /** Asks the child, and rejects when it fails, ends, or takes longer than `timeoutMs`. */
  ask<Answer>(question: string, body?: unknown, timeoutMs = 120_000): Promise<Answer> {
    return new Promise<unknown>((resolve, reject) => {
      const id = ++this.#lastId;
      const timer = setTimeout(() => {
        this.#settle(id);
        reject(new Error(`${this.options.script.pathname} did not answer "${question}" within ${timeoutMs} ms`));
      }, timeoutMs);
      this.#waiting.set(id, { resolve, reject, timer });
      this.#process.send({ id, ask: question, body });
    }) as Promise<Answer>;
  }

  /** The end of what it has printed. */
  logTail(): string {
    return readFileSync(this.options.logFile, "utf8").slice(-logTailCharacters);
  }

  /** Ends the process: SIGTERM, then SIGKILL when it takes too long. */
  async end(): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGTERM");
    const timer = setTimeout(() => this.#process.kill("SIGKILL"), endingMs);
    await ended;
    clearTimeout(timer);
  }

  #settle(id: number): void {
    clearTimeout(this.#waiting.get(id)?.timer);
    this.#waiting.delete(id);
  }
}

/** The child's side: answers each question with what the handler of that name returns. */
export function answer(handlers: Readonly<Record<string, (body: never) => unknown>>): void {
  process.on("message", async (message: { id: number; ask: string; body: unknown }) => {
    try {
      const handler = handlers[message.ask] as ((body: unknown) => unknown) | undefined;
      if (handler === undefined) throw new Error(`no such question: ${message.ask}`);
      process.send?.({ id: message.id, body: await handler(message.body) });
    } catch (error) {
      process.send?.({
        id: message.id,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
    }
  });
}
