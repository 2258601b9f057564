/**
 * Several processes behind one port. This one, their supervisor, serves nobody: it opens the database, starts the
 * workers, starts those again that die, and passes on what it is told.
 *
 *     SIGHUP           every worker in turn: a new one starts and is ready, then the old one drains and ends, when
 *                      no connection to it is left, however long a busy machine takes
 *     SIGTERM, SIGINT  all of them drain and end, then this one: as soon as nothing is under way, within ten seconds
 *
 * Workers listen on the same port (SO_REUSEPORT), so the kernel spreads connections, and are nodes of a cluster like
 * any others. Where Node cannot ask for that, before 22.12, they all accept from one socket, which node:cluster has the
 * supervisor hold. A worker whose supervisor has gone ends by itself.
 */
import type { ChildProcess } from "node:child_process";
import cluster from "node:cluster";
import { createServer } from "node:net";
import { messageOf } from "../../storage/failures.ts";
import { type Config, ConfigError } from "./config.ts";
import { createFirstRealm, noteTold, tellFirstStart } from "./first-start.ts";
import { openStorage } from "./main.ts";
import { answersForMs, closesWithinMs, killsAfterMs, retiresForMs } from "./stop-times.ts";

/** What a worker tells its supervisor. */
export type WorkerMessage = { kind: "ready" };
/** What a worker is told: another one serves in its place, so it may take the time to answer what was begun. */
export type SupervisorMessage = { kind: "retire" };

export interface WorkersOptions {
  config: Config;
  /** The command line's own file. */
  cli: string;
  environment: Readonly<Record<string, string | undefined>>;
  notify(line: string): void;
}

export interface Workers {
  /** Replaces every worker by a new one. One that does not become ready leaves the old one where it is. */
  roll(): Promise<void>;
  /** Ends them all. */
  stop(): Promise<void>;
}

/** Soon again at first; a worker that cannot run is not tried in a busy loop. */
const firstDelayMs = 100;
const maxDelayMs = 10_000;
/** A worker that ran for this long has not failed to start. */
const settledMs = 10_000;
/** Loading a large organization takes its time, but not for ever. */
const readyWithinMs = 120_000;
/** Of the connections that Parley's own PostgreSQL allows, those for workers. */
const embeddedConnections = 180;

/** Starts the workers; resolves when all serve. @throws ConfigError, or Error when one of them cannot start */
export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const { config, notify } = options;
  if (config.redisUrl === undefined)
    throw new ConfigError("Several workers agree through Redis: set REDIS_URL, or PARLEY_WORKERS=1.");
  if (config.port === 0) throw new ConfigError("Several workers share one port: PORT must not be 0.");
  await checkPortIsFree(config);
  const storage = await openStorage(config, notify);
  try {
    const firstStart = await createFirstRealm(storage, config);
    if (firstStart) notify(tellFirstStart(config.externalUrl, config.dataDir, firstStart, process.stdout.isTTY));
    const supervisor = new Supervisor(options, storage.url);
    await supervisor.start();
    if (firstStart) await noteTold(config.dataDir);
    return {
      roll: () => supervisor.roll(),
      async stop() {
        await supervisor.stop();
        await storage.close();
      },
    };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** Any program may join in on a port that is shared, so look first. */
function checkPortIsFree({ host, port }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", () =>
      reject(new Error(`Port ${port} on ${host} is taken or may not be used: set PORT or HOST.`)),
    );
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve()));
  });
}

interface Slot {
  child: ChildProcess | undefined;
  startedAt: number;
  delayMs: number;
  timer: NodeJS.Timeout | undefined;
}

class Supervisor {
  readonly #options: WorkersOptions;
  readonly #databaseUrl: string;
  readonly #slots: Slot[];
  readonly #children = new Set<ChildProcess>();
  #rolling: Promise<void> | undefined;
  #rollsAgain = false;
  #isStopping = false;

  constructor(options: WorkersOptions, databaseUrl: string) {
    this.#options = options;
    this.#databaseUrl = databaseUrl;
    this.#slots = Array.from({ length: options.config.workers }, () => ({
      child: undefined,
      startedAt: 0,
      delayMs: firstDelayMs,
      timer: undefined,
    }));
  }

  async start(): Promise<void> {
    try {
      await Promise.all(this.#slots.map(async (slot) => this.#settle(slot, await this.#spawn())));
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  roll(): Promise<void> {
    this.#rollsAgain = this.#rolling !== undefined;
    this.#rolling ??= this.#rollAll().finally(() => {
      this.#rolling = undefined;
      if (this.#rollsAgain) void this.roll();
    });
    return this.#rolling;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const slot of this.#slots) clearTimeout(slot.timer);
    await Promise.all([...this.#children].map((child) => end(child)));
  }

  async #rollAll(): Promise<void> {
    for (const slot of this.#slots) {
      // One that is down comes back by itself, as new as can be.
      const old = slot.child;
      if (this.#isStopping || !old) continue;
      try {
        const successor = await this.#spawn();
        if (slot.child === old) {
          this.#settle(slot, successor);
          await retire(old);
        } else await end(successor);
      } catch (error) {
        if (this.#isStopping) return;
        this.#options.notify(`A new worker did not start, so the old one stays: ${messageOf(error)}`);
        return;
      }
    }
  }

  /** Starts a worker. Resolves when it is ready. @throws Error when it ends before that */
  #spawn(): Promise<ChildProcess> {
    const { cli, config, environment } = this.#options;
    const connections = config.databaseUrl
      ? config.maxConnections
      : Math.max(3, Math.min(config.maxConnections, Math.floor(embeddedConnections / (config.workers + 1))));
    cluster.setupPrimary({ exec: cli, args: ["serve"], stdio: ["ignore", "inherit", "inherit", "ipc"] });
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    const { process: child } = cluster.fork({
      ...environment,
      DATABASE_URL: this.#databaseUrl,
      PARLEY_WORKERS: String(config.workers),
      PARLEY_IS_WORKER: "on",
      PARLEY_DATABASE_CONNECTIONS: String(connections),
    });
    this.#children.add(child);
    child.once("exit", () => this.#children.delete(child));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        child.kill("SIGKILL");
        reject(new Error(`it was not ready after ${readyWithinMs / 1000} s`));
      }, readyWithinMs);
      child.once("message", () => {
        clearTimeout(timer);
        resolve(child);
      });
      child.once("error", reject);
      child.once("exit", (code, signal) => {
        clearTimeout(timer);
        reject(new Error(`a worker ended with ${signal ?? `code ${code}`} before it was ready`));
      });
    });
  }

  /** From now on the slot is this worker's, until it ends by itself. */
  #settle(slot: Slot, child: ChildProcess): void {
    slot.child = child;
    slot.startedAt = performance.now();
    const died = (code: number | null, signal: NodeJS.Signals | null) => {
      if (slot.child !== child) return;
      slot.child = undefined;
      if (performance.now() - slot.startedAt > settledMs) slot.delayMs = firstDelayMs;
      this.#startAgain(slot, `A worker ended with ${signal ?? `code ${code}`}`);
    };
    if (child.exitCode !== null || child.signalCode !== null) died(child.exitCode, child.signalCode);
    else child.once("exit", died);
  }

  #startAgain(slot: Slot, reason: string): void {
    if (this.#isStopping) return;
    const { delayMs } = slot;
    slot.delayMs = Math.min(delayMs * 2, maxDelayMs);
    this.#options.notify(`${reason}; another one starts in ${delayMs / 1000} s.`);
    slot.timer = setTimeout(() => {
      this.#spawn().then(
        (child) => this.#settle(slot, child),
        (error: Error) => this.#startAgain(slot, `A worker did not start (${error.message})`),
      );
    }, delayMs);
  }
}

/** Tells a worker to drain and waits until it is gone. */
function end(child: ChildProcess): Promise<void> {
  return gone(child, answersForMs, () => child.kill("SIGTERM"));
}

/** The same with more time, for one that has a successor. */
function retire(child: ChildProcess): Promise<void> {
  return gone(child, retiresForMs, () => {
    // One that cannot be told is about to end.
    child.send({ kind: "retire" } satisfies SupervisorMessage, () => {});
  });
}

/** Waits until a worker is gone that is told by `tell` to answer what was begun, for so long. */
function gone(child: ChildProcess, forMs: number, tell: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    // It ends itself before (see `command-line.ts`).
    const timer = setTimeout(() => child.kill("SIGKILL"), forMs + closesWithinMs + killsAfterMs);
    child.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
    tell();
  });
}
