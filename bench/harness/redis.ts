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
  private constructor(
    private readonly process: ChildProcess,
    readonly url: string,
  ) {}

  /** @throws Error when there is no `redis-server`, or it does not start. */
  static async start(setup: Setup): Promise<BenchRedis> {
    const port = await freePort();
    const settings = { port, bind: "127.0.0.1", save: "", appendonly: "no", dir: setup.folder };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const child = spawn("redis-server", args, { stdio: "ignore" });
    let fault: Error | undefined;
    child.once("error", (error: NodeJS.ErrnoException) => {
      fault = error.code === "ENOENT" ? new Error("redis-server is not installed: this bench needs it") : error;
    });
    setup.atEnd(async () => {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    });
    const givenUpAt = performance.now() + startMs;
    while (performance.now() < givenUpAt && child.exitCode === null) {
      if (await listens(port)) return new BenchRedis(child, `redis://127.0.0.1:${port}`);
      if (fault !== undefined) throw fault;
      await sleep(periodMs);
    }
    throw new Error(`redis-server did not start within ${startMs} ms`);
  }

  cpuMicroseconds(): number {
    return cpuMicroseconds(this.process.pid!);
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
