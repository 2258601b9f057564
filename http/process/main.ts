/** Puts the server together: config → storage → actors → http, and takes it apart in reverse. */

import { statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { type DestinationStream, pino } from "pino";
import { EmailSender } from "../../actors/email/sender.ts";
import { openSmtp } from "../../actors/email/smtp.ts";
import type { Coordination } from "../../actors/realm/coordination.ts";
import type { ActorSystem } from "../../actors/system.ts";
import { checkSessions } from "../../storage/connection/own-sessions.ts";
import { startEmbeddedPostgres } from "../../storage/embedded-postgres/embedded-postgres.ts";
import { joinEmbeddedPostgres, type SharedPostgres } from "../../storage/embedded-postgres/join.ts";
import { messageOf } from "../../storage/failures.ts";
import { openFiles } from "../../storage/files/open-files.ts";
import { migrate } from "../../storage/migrate.ts";
import { connect, type Database, type DatabaseOptions } from "../../storage/postgres.ts";
import { rollPartitions } from "../../storage/realm-log.ts";
import { readSecretKey } from "../../storage/secret-key.ts";
import { checkSecretKey } from "../../storage/users/credentials.ts";
import { listenForMail } from "../mail-in/mail-server.ts";
import { type Listener, listen } from "../server/server.ts";
import { type Config, checkDataDir, warningsOf } from "./config.ts";
import { createFirstRealm, type FirstStart, noteTold, tellFirstStart } from "./first-start.ts";
import { type Home, Homes } from "./homes/homes.ts";
import { watchMoves } from "./homes/move-watch.ts";
import { openHomes, otherHomes } from "./homes/open-homes.ts";
import { LogDestination } from "./log-destination.ts";
import { LogLevels } from "./log-levels.ts";
import { HttpMetrics } from "./metrics/metrics.ts";
import { observeNode } from "./metrics/observe.ts";
import { type Makers, type Node, type NodeApp, newApp, newMakers, newSystem, openShared } from "./node-parts.ts";
import { SteadyClock } from "./steady-clock.ts";
import { openTracer } from "./tracing/open-tracer.ts";
import { Undo } from "./undo.ts";

export interface RunningStorage {
  database: Database;
  /** The first database, if this is another one. */
  first?: Database;
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
  onBegun?: DatabaseOptions["onBegun"];
}

/** `openDatabase`, and brings its tables up to date. */
export async function openStorage(
  config: Config,
  notify: (line: string) => void,
  options: OpenOptions = {},
): Promise<RunningStorage> {
  const storage = await openDatabase(config, notify, options);
  try {
    await checkSessions(storage.database);
    await migrate(storage.database);
    await checkSecretKey(storage.database.sql);
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
  { isGuest = false, applicationName, readTimeoutMs, warn, onBegun }: OpenOptions = {},
): Promise<RunningStorage> {
  checkDataDir(config.dataDir, (path) => statSync(path).isDirectory());
  const secretKey = await readSecretKey(config);
  let embedded: SharedPostgres | undefined;
  if (config.databaseUrl === undefined)
    embedded = await (isGuest ? joinEmbeddedPostgres : startEmbeddedPostgres)({ dataDir: config.dataDir, notify });
  const url = embedded?.url ?? config.databaseUrl!;
  const database = connect(url, {
    maxConnections: config.maxConnections,
    applicationName,
    secretKey,
    // Whoever waits is to be told before the deadline, and another node may have an answer by then.
    patienceMs: config.commandDeadlineMs / 2,
    statementTimeoutMs: readTimeoutMs,
    areStandbysRequired: config.databaseSynchronous === "required",
    warn,
    onBegun,
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
  app: NodeApp;
  port: number;
  /** Where operators are answered; undefined: nowhere but by their token. */
  adminPort: number | undefined;
  /** Where mail is taken; undefined: nowhere. */
  mailPort: number | undefined;
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

/** Serves until `stop()`. A start that fails ends what it has begun. */
export async function startServer(
  config: Config,
  notify: (line: string) => void = () => {},
  /** Where the log goes; standard output unless told. */
  logTo?: DestinationStream,
): Promise<RunningServer> {
  const undo = new Undo();
  try {
    return await start(config, notify, logTo, undo);
  } catch (error) {
    // Why it failed is told, and not what that has led to.
    await undo.all().catch(() => {});
    throw error;
  }
}

async function start(
  config: Config,
  notify: (line: string) => void,
  logTo: DestinationStream | undefined,
  undo: Undo,
): Promise<RunningServer> {
  const destination = new LogDestination(process.stdout.fd);
  undo.add(() => destination.flushAtExit());
  const log = pino({ level: config.logLevel, base: null, redact: secretsInLog }, logTo ?? destination);
  for (const warning of warningsOf(config)) log.warn(warning);
  const warn = (sentence: string) => log.warn(sentence);
  const metrics = new HttpMetrics();
  const onBegun: OpenOptions["onBegun"] = (pool, seconds) => metrics.begun(pool, seconds);
  const pools = { readTimeoutMs: config.readTimeoutMs, warn, onBegun };
  const storage = await openStorage(config, notify, pools);
  undo.add(() => storage.close());
  // A worker's supervisor has done so.
  const firstStart = config.isWorker ? undefined : await createFirstRealm(storage, config);
  if (firstStart) notify(tellFirstStart(config.externalUrl, config.dataDir, firstStart, process.stdout.isTTY));
  const steadyClock = new SteadyClock();
  const logLevels = new LogLevels(log);
  const tracer = openTracer(config, logLevels.of("traces"), metrics, undo);
  const { database } = storage;
  const node: Node = { config, logLevels, log, metrics, tracer, database, steadyClock, files: openFiles(config) };
  const startedAt = Math.floor(Date.now() / 1000);
  const shared = await openShared(node, startedAt, undo);
  const makers = await newMakers(node, undo);
  const first = newSystem(node, shared.coordination, makers);
  const others = otherHomes(config, pools, await readSecretKey(config));
  for (const { database } of others) undo.add(() => database.close());
  const app = newApp(node, new Homes(first, others), makers, shared.rateBuckets);
  undo.add(() => app.rateLimiters.close());
  observeNode(metrics, app, destination);
  const serving: Serving = { leaving: {}, listener: undefined };
  makers.linkPreviewer?.attach(app.system);
  const opened: { close?: () => Promise<void> } = {};
  undo.add(() => opened.close?.());
  undo.add(() => leave(app.system, serving, makers));
  await startSystem(node, first, shared.coordination, undo);
  opened.close = await openHomes(node, others, (home) => startHome(home, node, startedAt, makers));
  undo.add(watchMoves(app.system, log));
  const listeners = await openListeners(app, serving, warn, undo);
  if (config.port === 0 && config.externalUrl.endsWith(":0")) config.externalUrl = `http://localhost:${listeners.port}`;
  if (firstStart) await noteTold(config.dataDir);
  app.health.state = "ready";
  undo.add(sweepFiles(node));
  return {
    app,
    ...listeners,
    firstStart,
    stop: (options = {}) => stop(app, serving, options, undo),
  };
}

/** Opens the ports, and returns which they are. */
async function openListeners(
  app: NodeApp,
  serving: Serving,
  warn: (sentence: string) => void,
  undo: Undo,
): Promise<Pick<RunningServer, "port" | "adminPort" | "mailPort">> {
  const { config } = app;
  const listener = await listen(app, { host: config.host, port: config.port, sharePort: config.isWorker });
  serving.listener = listener;
  undo.add(() => listener.close());
  const adminListener = await listenForOperators(app, config, warn);
  undo.add(() => adminListener?.close());
  const mailServer = config.mailIn?.listen && (await listenForMail(app, config.mailIn, config.isWorker));
  undo.add(() => mailServer?.close());
  return { port: listener.port, adminPort: adminListener?.port, mailPort: mailServer?.port };
}

async function stop(app: NodeApp, serving: Serving, options: StopOptions, undo: Undo): Promise<void> {
  const { config } = app;
  app.health.state = "draining";
  // Whoever shares the load asks about once a second, and sends no more connections once they know.
  if (config.redisUrl !== undefined && !config.isWorker) await delay(config.drainAnnounceMs);
  // Other nodes are there for the clients that are told to connect anew; without Redis, nobody.
  if (config.redisUrl !== undefined)
    serving.leaving = { ...options, answersUntil: performance.now() + (options.answersForMs ?? drainMs) };
  await undo.all();
}

/** Often enough for what killed processes leave; the first one is after whatever a start has to do. */
const firstSweepMs = 600_000;
const sweepEveryMs = 86_400_000;

/** Returns how to end it. */
function sweepFiles({ files, log }: Node): () => void {
  const sweep = () =>
    files.sweep().catch((error: unknown) => log.warn({ err: messageOf(error) }, "files were not swept"));
  const first = setTimeout(sweep, firstSweepMs).unref();
  const each = setInterval(sweep, sweepEveryMs).unref();
  return () => {
    clearTimeout(first);
    clearInterval(each);
  };
}

/** A port that nobody chose may be taken, by another Parley of this machine say. That ends no start. */
async function listenForOperators(
  app: NodeApp,
  { adminAddress, isAdminAddressChosen, isWorker }: Config,
  warn: (sentence: string) => void,
): Promise<Listener | undefined> {
  if (adminAddress === undefined) return undefined;
  try {
    return await listen(app, { ...adminAddress, sharePort: isWorker, isAdmin: true });
  } catch (error) {
    if (isAdminAddressChosen) throw error;
    warn(`${messageOf(error)} Until then nobody gets /metrics.`);
    return undefined;
  }
}

/** Whom a node that ends answers until when. Without a time it ends at once. */
interface Serving {
  leaving: StopOptions & { answersUntil?: number };
  listener: Listener | undefined;
}

/** Begins to serve what another database has, as the first one's. Returns how that ends. */
async function startHome(home: Home, node: Node, startedAt: number, makers: Makers): Promise<() => Promise<void>> {
  const undo = new Undo();
  try {
    const own = { ...node, database: home.database };
    const { coordination } = await openShared(own, startedAt, undo);
    const system = newSystem(own, coordination, makers);
    undo.add(() => system.stop());
    await startSystem(own, system, coordination, undo);
    home.system = system;
  } catch (error) {
    await undo.all().catch(() => {});
    throw error;
  }
  return () => undo.all();
}

/** Begins with timers, jobs and emails. */
async function startSystem(
  { config, log, logLevels, database }: Node,
  system: ActorSystem,
  coordination: Coordination,
  undo: Undo,
): Promise<void> {
  coordination.onRequest(
    (id) => void system.activateById(id).catch((error: unknown) => log.warn({ realm: id, err: error }, "not loaded")),
  );
  await system.start();
  const sender =
    config.smtp &&
    new EmailSender({
      database,
      smtp: openSmtp(config.smtp),
      log: logLevels.of("mail"),
      clock: () => system.environment.clock(),
      urlOf: (realmId) => system.urlOf(realmId),
    });
  sender?.start();
  undo.add(() => sender?.stop());
}

/** Ends the work on organizations. What waits for pictures or previews is not waited for. */
async function leave({ systems }: Homes, { leaving, listener }: Serving, makers: Makers): Promise<void> {
  await Promise.all(systems.map((system) => system.drain()));
  if (leaving.answersUntil !== undefined)
    await listener?.quiet(leaving.answersUntil, leaving.outlivesConnections ?? false);
  makers.linkPreviewer?.close();
  makers.fileScanner?.close();
  makers.siteReader.close();
  makers.pictures.close();
  await Promise.all(systems.map((system) => system.stop()));
}
