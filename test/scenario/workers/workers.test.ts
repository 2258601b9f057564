/** Several workers behind one port, as processes: `parley serve --workers 3` and what its supervisor does. */
import { spawn } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../storage/embedded-postgres/port.ts";
import { Caller } from "../../support/faults/caller.ts";
import { dataFolder } from "../../support/server/folder.ts";
import { startRedis, type TestRedis } from "../../support/server/redis.ts";
import { type ServerProcess, startServerProcess } from "../../support/server/server-process.ts";
import { until } from "../../support/time/until.ts";

const workerCount = 3;
/** Each stays for as long as a connection to it may idle. */
const rollMs = 300_000;
let redis: TestRedis;
let folder: string;
let environment: Record<string, string>;
let server: ServerProcess;

beforeAll(async () => {
  redis = await startRedis();
  folder = await dataFolder("workers");
  environment = {
    PORT: String(await freePort()),
    PARLEY_DATA_DIR: folder,
    REDIS_URL: redis.url,
    PARLEY_WORKERS: String(workerCount),
  };
  server = await startServerProcess(environment);
  await until("all to be announced", () => server.output().includes("Parley serves on"));
}, 300_000);
afterAll(async () => {
  await server?.stop();
  await redis.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The supervisor's workers, without its PostgreSQL. */
async function workers(): Promise<number[]> {
  const children = (await readFile(`/proc/${server.pid}/task/${server.pid}/children`, "utf8")).trim().split(" ");
  const found: number[] = [];
  for (const child of children) {
    const commandLine = await readFile(`/proc/${child}/cmdline`, "utf8").catch(() => "");
    if (commandLine.includes("cli.js")) found.push(Number(child));
  }
  return found;
}

const caller = (keepAlive: boolean) => new Caller({ url: `${server.url}/api/v1/server_settings`, keepAlive });

describe("workers", () => {
  it("are as many as asked for, and show the first credentials once", async () => {
    expect(await workers()).toHaveLength(workerCount);
    expect(server.output().match(/API key/g)).toHaveLength(1);
    expect(server.output().match(/Parley serves on/g)).toHaveLength(1);
  });

  it(
    "are replaced one after the other on SIGHUP, and every request meanwhile is answered",
    async () => {
      const before = await workers();
      const callers = Array.from({ length: 8 }, (_, index) => caller(index % 2 === 0));
      for (const one of callers) one.start();
      try {
        server.signal("SIGHUP");
        await until("new workers only", () => server.output().includes("Every worker is a new one."), rollMs);
      } finally {
        await Promise.all(callers.map((one) => one.stop()));
      }
      expect(callers.flatMap(({ failures }) => failures)).toEqual([]);
      for (const { done } of callers) expect(done.length).toBeGreaterThan(10);
      // Those that came as a listener closed: one of each at each.
      for (const { resets } of callers) expect(resets).toBeLessThanOrEqual(workerCount);
      const after = await workers();
      expect(after).toHaveLength(workerCount);
      expect(after.filter((pid) => before.includes(pid))).toEqual([]);
    },
    2 * rollMs,
  );

  it("come back when they die", async () => {
    const [victim] = await workers();
    process.kill(victim!, "SIGKILL");
    await until("another one in its place", async () => {
      const now = await workers();
      return now.length === workerCount && !now.includes(victim!);
    });
    expect(server.output()).toContain("A worker ended with SIGKILL");
    const anybody = caller(false);
    anybody.start();
    await until("requests to be answered", () => anybody.done.length >= 20);
    await anybody.stop();
  });

  it("all stop at SIGTERM, and the exit code says that it was in order and in time", async () => {
    const doomed = await workers();
    expect(await server.stop()).toBe(0);
    for (const pid of doomed) expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
  });
});

describe("a supervisor that cannot start", () => {
  const cli = resolve(import.meta.dirname, "../../../dist/http/process/cli.js");
  /** Runs `parley serve` until it ends by itself. */
  const run = (args: string[], settings: Record<string, string>) =>
    new Promise<{ code: number | null; output: string }>((done) => {
      const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], HOST: "127.0.0.1", ...settings };
      const child = spawn(process.execPath, [cli, "serve", ...args], { env });
      let output = "";
      for (const pipe of [child.stdout, child.stderr])
        pipe.on("data", (chunk: Buffer) => {
          output += chunk.toString();
        });
      child.once("close", (code) => done({ code, output }));
    });

  it("says that several workers need Redis", async () => {
    const { code, output } = await run(["--workers", "2"], { PORT: "1", PARLEY_DATA_DIR: folder });
    expect(code).toBe(1);
    expect(output).toBe("Several workers agree through Redis: set REDIS_URL, or PARLEY_WORKERS=1.\n");
  });

  it("says that the port is taken", async () => {
    const taken = new URL(redis.url).port;
    const { code, output } = await run(["--workers", "2"], {
      PORT: taken,
      PARLEY_DATA_DIR: folder,
      REDIS_URL: redis.url,
    });
    expect(code).toBe(1);
    expect(output).toContain(`Port ${taken} on 127.0.0.1 is taken`);
  });
});
