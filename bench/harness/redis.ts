/** Redis for one bench: `redis-server` from the PATH, on loopback, nothing on disk. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { cpuMicroseconds } from "./cpu.ts";
import { freePort } from "./postgres.ts";
import type { Setup } from "./setup.ts";

const startMs = 10_000;
const periodMs = 20;

export class BenchRedis {
  #process: ChildProcess | undefined;

  private constructor(
    private readonly setup: Setup,
    private readonly port: number,
  ) {}

  /** @throws Error when there is no `redis-server`, or it does not start. */
  static async start(setup: Setup): Promise<BenchRedis> {
    const redis = new BenchRedis(setup, await freePort());
    setup.atEnd(() => redis.#end("SIGTERM"));
    await redis.startAgain();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  cpuMicroseconds(): number {
    return cpuMicroseconds(this.#process!.pid!);
  }

  signal(name: NodeJS.Signals): void {
    this.#process!.kill(name);
  }

  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  /** Starts one that was killed, empty, on the same port. */
  async startAgain(): Promise<void> {
    const settings = { port: this.port, bind: "127.0.0.1", save: "", appendonly: "no", dir: this.setup.folder };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const child = spawn("redis-server", args, { stdio: "ignore" });
    this.#process = child;
    let fault: Error | undefined;
    child.once("error", (error: NodeJS.ErrnoException) => {
      fault = error.code === "ENOENT" ? new Error("redis-server is not installed: this bench needs it") : error;
    });
    const givenUpAt = performance.now() + startMs;
    while (performance.now() < givenUpAt && child.exitCode === null) {
      if (await listens(this.port)) return;
      if (fault !== undefined) throw fault;
      await sleep(periodMs);
    }
    throw new Error(`redis-server did not start within ${startMs} ms`);
  }

  async #end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const child = this.#process;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    // One that was stopped hears nothing else.
    child.kill("SIGCONT");
    child.kill(signal);
    await ended;
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
