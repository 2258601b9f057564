/** Puts the server together: config → storage → actors → http, and takes it apart in reverse. */

import { statSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { type DestinationStream, type Logger, pino } from "pino";
import { Cluster } from "../../actors/cluster/cluster-node.ts";
import type { Coordination } from "../../actors/cluster/coordination.ts";
import { localCoordination } from "../../actors/cluster/local.ts";
import { Refusals } from "../../actors/cluster/refusals.ts";
import { EmailSender } from "../../actors/email/sender.ts";
import { openSmtp } from "../../actors/email/smtp.ts";
import { ReadNews } from "../../actors/notifications/read-news.ts";
import { Turns } from "../../actors/realm/turns.ts";
import { ActorSystem } from "../../actors/system.ts";
import { redisBus } from "../../storage/cluster/bus-redis.ts";
import { redisLeases } from "../../storage/cluster/lease-redis.ts";
import { mailAlone, withMail } from "../../storage/cluster/mail.ts";
import type { RateBuckets } from "../../storage/cluster/rate-buckets.ts";
import { redisRateBuckets } from "../../storage/cluster/rate-buckets-redis.ts";
import { connectRedis } from "../../storage/cluster/redis.ts";
import { startEmbeddedPostgres } from "../../storage/embedded-postgres/embedded-postgres.ts";
import { joinEmbeddedPostgres, type SharedPostgres } from "../../storage/embedded-postgres/join.ts";
import { migrate } from "../../storage/migrate.ts";
import { connect, type Database } from "../../storage/postgres.ts";
import { rollPartitions } from "../../storage/realm-log.ts";
import { readContentKey, readInstallation } from "../../storage/realms.ts";
import { Attempts } from "../api/attempts.ts";
import { Authenticator } from "../api/auth.ts";
import { RateLimiter, type Rates } from "../api/rate-limit.ts";
import { ReadTurns } from "../api/read-turns.ts";
import { RateLimiters } from "../api/realm-rates.ts";
import { Router } from "../api/router.ts";
import { routes } from "../api/routes.ts";
import { signedAddresses } from "../external-content/address.ts";
import { ExternalContents } from "../external-content/external-content.ts";
import { LinkPreviews } from "../link-previews/link-previews.ts";
import { SiteReader } from "../link-previews/site-reader.ts";
import { loadWebFiles } from "../pages/web-files.ts";
import { newPictureMaker } from "../pictures/thumbnails.ts";
import { storedPath } from "../resources/uploads/files.ts";
import { AnswerBudget } from "../server/answer-budget.ts";
import { BodyBudget } from "../server/body-budget.ts";
import { loadUws } from "../server/builds/uws.ts";
import { KeptAnswers } from "../server/kept-answers.ts";
import { RequestTurns } from "../server/request-turns.ts";
import { type Listener, listen } from "../server/server.ts";
import type { App } from "./app.ts";
import { type Config, checkDataDir, warningsOf } from "./config.ts";
import { createFirstRealm, type FirstStart, noteTold, tellFirstStart } from "./first-start.ts";
import { LogDestination } from "./log-destination.ts";
import { HttpMetrics } from "./metrics.ts";
import { SteadyClock } from "./steady-clock.ts";
import { readVersion } from "./version.ts";

export interface RunningStorage {
  database: Database;
  /** How to connect to it. */
  url: string;
  /** Where owner.zuliprc goes. */
  dataDir: string;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Uses the PostgreSQL of a Parley that serves on the same data folder. */
  isGuest?: boolean;
  /** What PostgreSQL calls its connections. */
  applicationName?: string;
  /** PostgreSQL ends a read that takes longer. */
  readTimeoutMs?: number;
  /** Told what an operator should know of PostgreSQL. */
  warn?: (sentence: string) => void;
}

/** `openDatabase`, and brings its tables up to date. */
export async function openStorage(
  config: Config,
  notify: (line: string) => void,
  options: OpenOptions = {},
): Promise<RunningStorage> {
  const storage = await openDatabase(config, notify, options);
  try {
    await migrate(storage.database);
    await rollPartitions(storage.database, Math.floor(Date.now() / 1000));
  } catch (error) {
    await storage.close();
    throw error;
  }
  return storage;
}

/** Opens the configured database, or starts Parley's own, as it is. */
export async function openDatabase(
  config: Config,
  notify: (line: string) => void,
  { isGuest = false, applicationName, readTimeoutMs, warn }: OpenOptions = {},
): Promise<RunningStorage> {
  checkDataDir(config.dataDir, (path) => statSync(path).isDirectory());
  let embedded: SharedPostgres | undefined;
  if (config.databaseUrl === undefined)
    embedded = await (isGuest ? joinEmbeddedPostgres : startEmbeddedPostgres)({ dataDir: config.dataDir, notify });
  const url = embedded?.url ?? config.databaseUrl!;
  const database = connect(url, {
    maxConnections: config.maxConnections,
    applicationName,
    // Whoever waits is to be told before the deadline, and another node may have an answer by then.
    patienceMs: config.commandDeadlineMs / 2,
    statementTimeoutMs: readTimeoutMs,
    warn,
  });
  const close = async () => {
    await database.close();
    await embedded?.stop();
  };
  return { database, url, dataDir: config.dataDir, close };
}

/** What PostgreSQL says of a statement that failed may be anything that somebody sent: a key, an address, a message. */
const secretsInLog = ["detail", "where", "query", "parameters", "args"].map((field) => `err.${field}`);

/** Where nobody says otherwise. */
const drainMs = 1500;

export interface RunningServer {
  app: App;
  port: number;
  /** Of `PARLEY_ADMIN_ADDRESS`. */
  adminPort: number | undefined;
  firstStart: FirstStart | undefined;
  /** Drains: no new work, parked polls answered, what is only in memory written down. */
  stop(options?: StopOptions): Promise<void>;
}

export interface StopOptions {
  /** A node of many answers on connections that are there until nobody asks any more, at most for so long. */
  answersForMs?: number;
  /** Nobody asks any more when no connection is left on which somebody could. If not: when nobody did for a moment. */
  outlivesConnections?: boolean;
}

/** Serves until `stop()`. */
export async function startServer(
  config: Config,
  notify: (line: string) => void = () => {},
  /** Where the log goes; standard output unless told. */
  logTo?: DestinationStream,
): Promise<RunningServer> {
  const destination = new LogDestination(process.stdout.fd);
  const log = pino({ level: config.logLevel, base: null, redact: secretsInLog }, logTo ?? destination);
  for (const warning of warningsOf(config)) log.warn(warning);
  const warn = (sentence: string) => log.warn(sentence);
  const storage = await openStorage(config, notify, { readTimeoutMs: config.readTimeoutMs, warn });
  try {
    // A worker's supervisor has done so.
    const firstStart = config.isWorker ? undefined : await createFirstRealm(storage, config);
    if (firstStart) notify(tellFirstStart(config.externalUrl, config.dataDir, firstStart));
    const metrics = new HttpMetrics();
    metrics.observeLog(destination);
    metrics.observeDatabase(storage.database);
    const startedAt = Math.floor(Date.now() / 1000);
    const steadyClock = new SteadyClock();
    const uws = loadUws(config.httpBuild);
    if (!uws.takesAll)
      log.warn(`${uws.build} cannot take all that HTTP allows: see PARLEY_HTTP_BUILD in the README, and use a proxy.`);
    const shared = await openShared(config, storage.database, log, metrics, startedAt);
    const { coordination } = shared;
    const pictures = newPictureMaker();
    const { dataDir, alsoAllowed } = config;
    const siteReader = new SiteReader({ alsoAllowed, userAgent: `Parley/${readVersion()}` });
    const linkPreviewer = config.previewsLinks ? new LinkPreviews(dataDir, siteReader, pictures, log) : undefined;
    const contentKey = config.showsExternalContent ? await readContentKey(storage.database.sql) : undefined;
    const system = new ActorSystem({
      linkPreviewer,
      externalContent: contentKey && signedAddresses(contentKey),
      database: storage.database,
      coordination,
      metrics,
      log,
      clock: () => Math.floor(Date.now() / 1000),
      steady: () => steadyClock.seconds(),
      steadySince: () => steadyClock.since(),
      limitsPresence: config.limitsPresence,
      servesReads: true,
      webPublicChannels: config.webPublicChannelsEnabled,
      botDomain: config.botDomain,
      welcomesNewcomers: config.welcomes,
      mayAsk: config.mayAsk,
      callServices: config.callServices,
      sendsEmail: config.smtp !== undefined,
      storedFiles: { dataDir, storedUpload: storedPath },
      relay: config.pushRelayUrl === undefined ? undefined : { url: config.pushRelayUrl, readNews: new ReadNews() },
      urlOf: (host) => (host === null ? config.externalUrl : externalUrlOf(config, host)),
      limits: {
        maxBacklogEvents: config.maxBacklogEvents,
        maxBacklogBytes: config.maxBacklogBytes,
        recent: { entries: 8192, bytes: config.recentBytes },
        commandDeadlineMs: config.commandDeadlineMs,
        idleAfterSecs: config.idleAfterSecs,
        realmIdleAfterSecs: config.realmIdleAfterSecs,
        maxQueuesPerUser: config.maxQueuesPerUser,
      },
    });
    linkPreviewer?.attach(system);
    coordination.onRequest(
      (id) => void system.activateById(id).catch((error: unknown) => log.warn({ realm: id, err: error }, "not loaded")),
    );
    await system.start();
    metrics.observe(system);
    const sender =
      config.smtp &&
      new EmailSender({
        database: storage.database,
        smtp: openSmtp(config.smtp),
        log,
        clock: () => system.environment.clock(),
        urlOf: (realmId) => system.urlOf(realmId),
      });
    sender?.start();
    const makeLimiter = (rates: Rates) => new RateLimiter(shared.rateBuckets, () => steadyClock.exact(), rates);
    const rateLimiter = makeLimiter(config.rates);
    const attempts = new Attempts(rateLimiter, log, config);
    const app: App = {
      config,
      system,
      metrics,
      log,
      uws,
      authenticator: new Authenticator(attempts, config.trustedProxies),
      rateLimiter,
      rateLimiters: new RateLimiters(rateLimiter, config.ratesByHost, makeLimiter),
      attempts,
      bodies: new BodyBudget({ total: config.maxBodyBytesAtOnce, perCaller: config.maxBodyBytesAtOnce / 2 }),
      answers: new AnswerBudget({ total: config.maxAnswerBytesAtOnce, perCaller: config.maxAnswerBytesAtOnce / 4 }),
      largeBodies: new Turns(),
      router: new Router(routes, ["/api/v1", "/json"]),
      turns: new RequestTurns(),
      readTurns: new ReadTurns(config.maxReadsPerAccount),
      keptAnswers: new KeptAnswers(),
      pictures,
      externalContents: contentKey && new ExternalContents(contentKey, dataDir, siteReader, pictures),
      webFiles: loadWebFiles(),
      health: { state: "starting" },
    };
    const listener: Listener = await listen(app, {
      host: config.host,
      port: config.port,
      sharePort: config.isWorker,
    });
    const adminListener =
      config.adminAddress && (await listen(app, { ...config.adminAddress, sharePort: config.isWorker, isAdmin: true }));
    if (config.port === 0 && config.externalUrl.endsWith(":0"))
      config.externalUrl = `http://localhost:${listener.port}`;
    if (firstStart) await noteTold(config.dataDir);
    app.health.state = "ready";
    return {
      app,
      port: listener.port,
      adminPort: adminListener?.port,
      firstStart,
      async stop({ answersForMs = drainMs, outlivesConnections = false } = {}) {
        app.health.state = "draining";
        // Whoever shares the load asks about once a second, and sends no more connections once they know.
        if (config.redisUrl !== undefined && !config.isWorker) await delay(config.drainAnnounceMs);
        const answersUntil = performance.now() + answersForMs;
        await listener.close();
        await adminListener?.close();
        await sender?.stop();
        await system.drain();
        // Other nodes are there for the clients that are told to connect anew; here, nobody.
        if (config.redisUrl !== undefined) await listener.quiet(answersUntil, outlivesConnections);
        linkPreviewer?.close();
        siteReader.close();
        pictures.close();
        await system.stop();
        await app.rateLimiters.close();
        await shared.close();
        await storage.close();
        destination.flushAtExit();
      },
    };
  } catch (error) {
    await storage.close();
    destination.flushAtExit();
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
  const installation = await readInstallation(database.sql);
  const refusals = new Refusals(log, (what) => metrics.refused(what));
  if (config.redisUrl === undefined) {
    const bus = mailAlone(database, installation, () => refusals.refuse("message"));
    const coordination = localCoordination(startedAt, { bus, log });
    return { coordination, rateBuckets: undefined, close: () => coordination.close() };
  }
  const onError = (error: Error) => log.warn({ err: error.message }, "Redis");
  const wire = await redisBus(config.redisUrl, installation, { onError, onRefused: (what) => refusals.refuse(what) });
  const bus = withMail(wire, database, installation, () => refusals.refuse("message"));
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
export function externalUrlOf(config: Config, host: string): string {
  const url = new URL(config.externalUrl);
  return `${url.protocol}//${host}${host.includes(":") || url.port === "" ? "" : `:${url.port}`}`;
}
