/** Parley under test: `parley serve` in a process of its own, on a database of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Account, basic } from "../load/request.ts";
import { Child } from "./child.ts";
import { cpuMicroseconds, residentBytes } from "./cpu.ts";
import type { Pause } from "./pause-watch.ts";
import { type BenchPostgres, freePort } from "./postgres.ts";
import type { Memory } from "./probe.ts";
import type { Setup } from "./setup.ts";
import type { Usage } from "./usage-at-exit.ts";

const commandLine = new URL("../../http/process/cli.js", import.meta.url);
const owner = { email: "owner@bench.example", password: "bench-owner-password" };

/** How long a start may take before the bench gives up: the largest realm measured needs seconds. */
const startMs = 120_000;
/** A Parley that has nothing to do: CPU time a second, and for how many seconds. */
const calmMicroseconds = 20_000;
const calmSeconds = 5;
const healthPeriodMs = 25;

/** By which the benches are known as those who run the server. */
const adminToken = "the-operators-token-in-benches";
const asOperator = { headers: { authorization: `Bearer ${adminToken}` } };

export class Parley {
  private constructor(
    private readonly child: Child,
    readonly port: number,
    /** The realm's owner, who may do everything. */
    readonly owner: Account,
    /** What `GET /health` said once it served. */
    readonly health: Readonly<Record<string, unknown>>,
    /** Milliseconds from the start of the process to its first healthy answer. */
    readonly startedInMs: number,
  ) {}

  /**
   * Starts it on `database`, with `redisUrl` as one node of many, and waits until it serves. @throws Error with the end
   * of its log.
   *
   * @param more settings other than the usual ones; with `PORT`, the port is that
   * @param node the program that runs Node, if not this process's own
   */
  static async start(
    setup: Setup,
    database: { readonly url: string },
    redisUrl?: string,
    more: Readonly<Record<string, string>> = {},
    node?: string,
  ): Promise<Parley> {
    const port = Number(more["PORT"] ?? (await freePort()));
    const logFile = join(setup.folder, "parley.log");
    const startedAt = performance.now();
    const child = new Child({
      script: commandLine,
      args: ["serve"],
      env: {
        ...environment(setup, database),
        PORT: String(port),
        ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
        ...more,
      },
      logFile,
      ...(node !== undefined && { node }),
      preload: new URL("probe.js", import.meta.url),
    });
    setup.atEnd(() => child.end());
    const base = `http://127.0.0.1:${port}`;
    while (performance.now() - startedAt < startMs && !child.hasEnded) {
      const health = await fetch(`${base}/health`, asOperator).catch(() => undefined);
      if (health?.ok === true) {
        const body = (await health.json()) as Record<string, unknown>;
        return new Parley(child, port, readCredentials(setup), body, performance.now() - startedAt);
      }
      await sleep(healthPeriodMs);
    }
    throw new Error(`Parley did not serve:\n${child.logTail()}`);
  }

  get pid(): number {
    return this.child.pid;
  }

  get hasEnded(): boolean {
    return this.child.hasEnded;
  }

  /** The end of what it has printed. */
  get logTail(): string {
    return this.child.logTail();
  }

  /** Which HTTP server it runs, as it says itself. */
  get build(): string {
    const http = this.health["http"] as { build?: string } | undefined;
    return http?.build ?? JSON.stringify(this.health);
  }

  /** Its Prometheus series, as text. */
  async metrics(): Promise<string> {
    return (await fetch(`http://127.0.0.1:${this.port}/metrics`, asOperator)).text();
  }

  cpuMicroseconds(): number {
    return cpuMicroseconds(this.pid);
  }

  /** Waits until it has nothing left to do in the background. */
  async untilCalm(): Promise<void> {
    for (let calm = 0; calm < calmSeconds; calm++) {
      const before = this.cpuMicroseconds();
      await sleep(1000);
      if (this.cpuMicroseconds() - before > calmMicroseconds) calm = -1;
    }
  }

  residentBytes(): number {
    return residentBytes(this.pid);
  }

  /** Its memory after full collections. */
  memory(): Promise<Memory> {
    return this.child.ask("memory");
  }

  /** The Node and the C library that it runs on. */
  system(): Promise<string> {
    return this.child.ask("system");
  }

  watchLoop(): Promise<void> {
    return this.child.ask("watchLoop");
  }

  /**
   * The longest pause of its event loop since `watchLoop`, without the time for which the machine had no CPU for it.
   */
  longestPause(): Promise<Pause> {
    return this.child.ask("longestPause");
  }

  async longestPauseMs(): Promise<number> {
    return (await this.longestPause()).ms;
  }

  end(): Promise<void> {
    return this.child.end();
  }

  /** One API call, for setting up. @throws Error when it is refused. */
  async call<Body>(
    method: "GET" | "POST" | "PATCH" | "DELETE",
    path: string,
    fields: Readonly<Record<string, unknown>> = {},
    account: Account = this.owner,
  ): Promise<Body> {
    const form = new URLSearchParams(
      Object.entries(fields).map(([name, value]): [string, string] => [
        name,
        typeof value === "string" ? value : JSON.stringify(value),
      ]),
    );
    const url = new URL(`http://127.0.0.1:${this.port}${path}`);
    if (method === "GET") for (const [name, value] of form) url.searchParams.append(name, value);
    const response = await fetch(url, {
      method,
      headers: { authorization: basic(account) },
      ...(method === "GET" ? {} : { body: form }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    return JSON.parse(text) as Body;
  }
}

/** Runs one command of Parley's command line on `database` and returns what it printed. @throws Error when it fails. */
export async function runCommand(setup: Setup, database: BenchPostgres, args: readonly string[]): Promise<string> {
  return (await measureCommand(setup, database, args)).text;
}

/** What a command printed, how long it took, and what its process used. */
export interface CommandCost extends Usage {
  text: string;
  wallMs: number;
}

/** As `runCommand`, and says what it cost. @throws Error when it fails. */
export async function measureCommand(
  setup: Setup,
  database: BenchPostgres,
  args: readonly string[],
): Promise<CommandCost> {
  const [outFile, usageFile] = [join(setup.folder, "command.out"), join(setup.folder, "command.usage")];
  const out = openSync(outFile, "w");
  const startedAt = performance.now();
  const preload = new URL("usage-at-exit.js", import.meta.url);
  const child = spawn(process.execPath, ["--import", preload.href, fileURLToPath(commandLine), ...args], {
    env: { ...process.env, ...environment(setup, database), PARLEY_BENCH_USAGE: usageFile },
    stdio: ["ignore", out, out],
  });
  const [code] = (await once(child, "exit")) as [number | null];
  const wallMs = performance.now() - startedAt;
  closeSync(out);
  const text = readFileSync(outFile, "utf8");
  if (code !== 0) throw new Error(`parley ${args.join(" ")} ended with ${code}:\n${text.slice(-2000)}`);
  return { text, wallMs, ...(JSON.parse(readFileSync(usageFile, "utf8")) as Usage) };
}

/** Seals the API keys of every database that is measured. */
export const secretKey = "7".repeat(64);

function environment(setup: Setup, database: { readonly url: string }): Record<string, string> {
  return {
    HOST: "127.0.0.1",
    DATABASE_URL: database.url,
    PARLEY_DATA_DIR: join(setup.folder, "data"),
    PARLEY_SECRET_KEY: secretKey,
    PARLEY_RATE_LIMITS: "off",
    PARLEY_WELCOME: "off",
    PARLEY_ADMIN_TOKEN: adminToken,
    PARLEY_OWNER_EMAIL: owner.email,
    PARLEY_OWNER_PASSWORD: owner.password,
  };
}

/** The owner's key, from the file that the first start writes. */
function readCredentials(setup: Setup): Account {
  const text = readFileSync(join(setup.folder, "data", "owner.zuliprc"), "utf8");
  const value = (name: string): string => new RegExp(`^${name} *= *(.+)$`, "m").exec(text)?.[1]?.trim() ?? "";
  return { email: value("email"), apiKey: value("key") };
}
