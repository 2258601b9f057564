/** Puts the server together: config → storage → actors → http, and takes it apart in reverse. */

import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { type Logger, pino } from "pino";
import { Cluster } from "../actors/cluster/actor.ts";
import type { Coordination } from "../actors/cluster/coordination.ts";
import { localCoordination } from "../actors/cluster/local.ts";
import { Refusals } from "../actors/cluster/refusals.ts";
import { createRealm } from "../actors/realm/create.ts";
import { ActorSystem } from "../actors/system.ts";
import { redisBus } from "../storage/bus-redis.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../storage/embedded-postgres.ts";
import { redisLeases } from "../storage/lease-redis.ts";
import { migrate } from "../storage/migrate.ts";
import { hashPassword } from "../storage/passwords.ts";
import { connect, type Database } from "../storage/postgres.ts";
import type { RateBuckets } from "../storage/rate-buckets.ts";
import { redisRateBuckets } from "../storage/rate-buckets-redis.ts";
import { rollPartitions } from "../storage/realm-log.ts";
import { findRealms, readInstallation } from "../storage/realms.ts";
import { connectRedis } from "../storage/redis.ts";
import type { App } from "./app.ts";
import { Authenticator } from "./auth.ts";
import { type Config, checkDataDir } from "./config.ts";
import { HttpMetrics } from "./metrics.ts";
import { RateLimiter } from "./rate-limit.ts";
import { Router } from "./router.ts";
import { routes } from "./routes.ts";
import { type Listener, listen } from "./server.ts";
import { loadUws } from "./uws.ts";

export interface RunningStorage {
  database: Database;
  /** How to connect to it. */
  url: string;
  /** Where owner.zuliprc goes. */
  dataDir: string;
  close(): Promise<void>;
}

/** Opens the configured database, or starts Parley's own, and brings its tables up to date. */
export async function openStorage(config: Config, notify: (line: string) => void): Promise<RunningStorage> {
  checkDataDir(config.dataDir, (path) => statSync(path).isDirectory());
  let embedded: EmbeddedPostgres | undefined;
  if (config.databaseUrl === undefined) embedded = await startEmbeddedPostgres({ dataDir: config.dataDir, notify });
  const url = embedded?.url ?? config.databaseUrl!;
  const database = connect(url, {
    maxConnections: config.maxConnections,
    // Whoever waits is to be told before the deadline, and another node may have an answer by then.
    patienceMs: config.commandDeadlineMs / 2,
  });
  const close = async () => {
    await database.close();
    await embedded?.stop();
  };
  try {
    await migrate(database);
    await rollPartitions(database, Math.floor(Date.now() / 1000));
  } catch (error) {
    await close();
    throw error;
  }
  return { database, url, dataDir: config.dataDir, close };
}

/** What the first start made, to be shown once. */
export interface FirstStart {
  email: string;
  password: string;
  apiKey: string;
  zuliprc: string;
  channel: string;
}

/** On an empty database: one organization with its owner, whose key is also left in `owner.zuliprc`. */
export async function createFirstRealm(storage: RunningStorage, config: Config): Promise<FirstStart | undefined> {
  if ((await findRealms(storage.database.sql)).length > 0) return undefined;
  const password = config.ownerPassword ?? randomBytes(12).toString("base64url");
  const passwordHash = await hashPassword(password);
  const created = await storage.database.transaction(async (sql) => {
    await sql`select pg_advisory_xact_lock(7275539913::bigint)`;
    if ((await findRealms(sql)).length > 0) return undefined;
    return createRealm(sql, {
      host: null,
      name: config.realmName,
      now: Math.floor(Date.now() / 1000),
      owner: { email: config.ownerEmail, fullName: "Owner", passwordHash },
    });
  });
  if (!created) return undefined;
  mkdirSync(storage.dataDir, { recursive: true });
  const zuliprc = join(storage.dataDir, "owner.zuliprc");
  writeFileSync(
    zuliprc,
    `[api]\nemail=${config.ownerEmail}\nkey=${created.ownerApiKey}\nsite=${config.externalUrl}\n`,
    { mode: 0o600 },
  );
  chmodSync(zuliprc, 0o600);
  return { email: config.ownerEmail, password, apiKey: created.ownerApiKey, zuliprc, channel: created.channel };
}

/** How long a node of many goes on answering on connections that are there, so that nobody is cut off in the middle. */
const drainMs = 1500;

export interface RunningServer {
  app: App;
  port: number;
  firstStart: FirstStart | undefined;
  /** Drains: no new work, parked polls answered, what is only in memory written down. */
  stop(): Promise<void>;
}

/** Serves until `stop()`. */
export async function startServer(config: Config, notify: (line: string) => void = () => {}): Promise<RunningServer> {
  const log = pino({ level: config.logLevel, base: null });
  const storage = await openStorage(config, notify);
  try {
    const firstStart = await createFirstRealm(storage, config);
    const metrics = new HttpMetrics();
    const startedAt = Math.floor(Date.now() / 1000);
    const uws = loadUws();
    if (uws.warning) log.warn(uws.warning);
    const shared = await openShared(config, storage.database, log, metrics, startedAt);
    const { coordination } = shared;
    const system = new ActorSystem({
      database: storage.database,
      coordination,
      metrics,
      log,
      clock: () => Math.floor(Date.now() / 1000),
      startedAt,
      limitsPresence: config.limitsPresence,
      servesReads: true,
      webPublicChannels: config.webPublicChannelsEnabled,
      urlOf: (host) => (host === null ? config.externalUrl : externalUrlOf(config, host)),
      limits: {
        maxBacklogEvents: config.maxBacklogEvents,
        maxBacklogBytes: config.maxBacklogBytes,
        recentEntries: 8192,
        commandDeadlineMs: config.commandDeadlineMs,
        idleAfterSecs: config.idleAfterSecs,
      },
    });
    coordination.onRequest(
      (id) => void system.activateById(id).catch((error: unknown) => log.warn({ realm: id, err: error }, "not loaded")),
    );
    await system.start();
    metrics.observe(system);
    const app: App = {
      config,
      system,
      metrics,
      log,
      uws,
      authenticator: new Authenticator(),
      rateLimiter: new RateLimiter(shared.rateBuckets),
      router: new Router(routes, ["/api/v1", "/json"]),
      health: { state: "starting" },
    };
    const listener: Listener = await listen(app, {
      host: config.host,
      port: config.port,
      sharePort: config.isWorker,
    });
    if (config.port === 0 && config.externalUrl.endsWith(":0"))
      config.externalUrl = `http://localhost:${listener.port}`;
    app.health.state = "ready";
    return {
      app,
      port: listener.port,
      firstStart,
      async stop() {
        app.health.state = "draining";
        await listener.close();
        await system.drain();
        // Other nodes are there for the clients that are told to connect anew; here, nobody.
        if (config.redisUrl !== undefined) await listener.quiet(drainMs);
        await system.stop();
        await app.rateLimiter.close();
        await shared.close();
        await storage.close();
      },
    };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** What this node shares with others through Redis; without Redis it is the whole server. */
interface Shared {
  coordination: Coordination;
  rateBuckets: RateBuckets | undefined;
  close(): Promise<void>;
}

async function openShared(
  config: Config,
  database: Database,
  log: Logger,
  metrics: HttpMetrics,
  startedAt: number,
): Promise<Shared> {
  if (config.redisUrl === undefined) {
    const coordination = localCoordination(startedAt);
    return { coordination, rateBuckets: undefined, close: () => coordination.close() };
  }
  const installation = await readInstallation(database.sql);
  const onError = (error: Error) => log.warn({ err: error.message }, "Redis");
  const refusals = new Refusals(log, (what) => metrics.refused(what));
  const bus = await redisBus(config.redisUrl, installation, { onError, onRefused: (what) => refusals.refuse(what) });
  const connection = connectRedis(config.redisUrl, { onError });
  const cluster = new Cluster({
    bus,
    leases: redisLeases(connection, installation, bus.nodeId),
    leaseMs: config.leaseMs,
    log,
    metrics,
    startedAt,
    nodeName: `${hostname()}:${process.pid}`,
    clock: () => Math.floor(Date.now() / 1000),
  });
  await cluster.start();
  return {
    coordination: cluster,
    rateBuckets: redisRateBuckets(connection, installation),
    async close() {
      await cluster.close();
      connection.close();
    },
  };
}

/** The address of an organization with a host of its own: the server's, under that host. */
function externalUrlOf(config: Config, host: string): string {
  const url = new URL(config.externalUrl);
  return `${url.protocol}//${host}${host.includes(":") || url.port === "" ? "" : `:${url.port}`}`;
}
