import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import { connectRedis, redisReady } from "../../../storage/cluster/redis.ts";
import type { Installation } from "../../../storage/cluster/seal.ts";
import { freePort } from "../../../storage/embedded-postgres/port.ts";

/** A Redis that a test may flush and, unless it is that of `REDIS_URL`, kill and start again. */
export interface TestRedis {
  /** The URL to connect to. It stays the same after `restart`. */
  readonly url: string;
  /** The process, which another test may stop (SIGSTOP) or kill; `undefined` while none runs, and for `REDIS_URL`. */
  readonly pid: number | undefined;
  /** Deletes all keys. */
  flush(): Promise<void>;
  /** Ends the process as `kill -9` does and waits until it is gone. */
  kill(): Promise<void>;
  /** Ends the process if it still runs, and starts it on the same port, empty. */
  restart(): Promise<void>;
  /** Ends it for good. */
  stop(): Promise<void>;
}

/**
 * Starts a Redis of the caller's own on a free loopback port, without persistence. With `REDIS_URL` set, that one is
 * used instead.
 * @throws Error if there is no redis-server on the PATH
 */
export async function startRedis(): Promise<TestRedis> {
  const given = process.env["REDIS_URL"];
  if (given) return new GivenRedis(given);
  const redis = new OwnRedis(await freePort(), await mkdtemp(join(tmpdir(), "parley-redis-")));
  await redis.restart();
  return redis;
}

/** A Redis for the tests of a file, or of the `describe` around: it starts before them and is stopped after them. */
export function testRedis(): Pick<TestRedis, "url"> {
  let redis: TestRedis | undefined;
  beforeAll(async () => {
    redis = await startRedis();
  }, 120_000);
  afterAll(() => redis?.stop());
  return {
    get url() {
      if (!redis) throw new Error("The test's Redis has not started.");
      return redis.url;
    },
  };
}

class GivenRedis implements TestRedis {
  readonly url: string;
  readonly pid = undefined;
  constructor(url: string) {
    this.url = url;
  }
  flush(): Promise<void> {
    return flush(this.url);
  }
  kill(): Promise<void> {
    return Promise.reject(new Error("this test kills its Redis: unset REDIS_URL to let it start its own"));
  }
  restart(): Promise<void> {
    return this.kill();
  }
  async stop(): Promise<void> {}
}

class OwnRedis implements TestRedis {
  readonly #port: number;
  readonly #folder: string;
  #child: ChildProcess | undefined;

  constructor(port: number, folder: string) {
    this.#port = port;
    this.#folder = folder;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.#port}`;
  }
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  flush(): Promise<void> {
    return flush(this.url);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL"); // Ends a stopped process too.
    await ended;
  }

  async restart(): Promise<void> {
    await this.kill();
    const settings = { port: this.#port, bind: "127.0.0.1", save: "", appendonly: "no", dir: this.#folder };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const child = spawn("redis-server", args, { stdio: ["ignore", "pipe", "inherit"] });
    this.#child = child;
    let output = "";
    child.stdout.on("data", (text) => {
      output += text;
    });
    let failure: string | undefined;
    child.once("error", (error) => {
      const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
      failure = isMissing ? "there is none on the PATH. Install it, or set REDIS_URL." : error.message;
    });
    child.once("exit", (code, signal) => {
      failure = `it ended with ${signal ?? code}`;
    });
    while (!(await answersPing(this.#port))) {
      if (failure !== undefined) throw new Error(`redis-server did not start: ${failure}\n${output}`);
      await sleep(10);
    }
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function flush(url: string): Promise<void> {
  const connection = connectRedis(url);
  try {
    await redisReady(connection, 60_000);
    await connection.client.flushall();
  } finally {
    connection.close();
  }
}

/** An installation that no other test's nodes belong to. */
export const newInstallation = (): Installation => ({ name: randomUUID(), key: randomBytes(32) });

/** Whether a Redis on that loopback port takes commands. */
function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("PING\r\n"));
    socket.once("data", (reply) => {
      socket.destroy();
      resolve(reply.toString().startsWith("+PONG"));
    });
    socket.once("error", () => resolve(false));
    socket.once("close", () => resolve(false));
  });
}
