/** The parts of a node, each made from those before it. */

import { hostname } from "node:os";
import type { Logger } from "pino";
import { Cluster } from "../../actors/cluster/cluster-node.ts";
import { localCoordination } from "../../actors/cluster/local.ts";
import { Refusals } from "../../actors/cluster/refusals.ts";
import { Gifs } from "../../actors/gifs/gifs.ts";
import { OpenIdClient } from "../../actors/identities/open-id-client.ts";
import { LdapClient } from "../../actors/ldap/client.ts";
import { ReadNews } from "../../actors/notifications/read-news.ts";
import type { Coordination } from "../../actors/realm/coordination.ts";
import type { RealmEnvironment } from "../../actors/realm/environment.ts";
import { Turns } from "../../actors/realm/turns.ts";
import { Summaries } from "../../actors/summaries/summaries.ts";
import { ActorSystem } from "../../actors/system.ts";
import type { Tracer } from "../../actors/tracing.ts";
import type { StoredFiles } from "../../actors/transfer/zulip-export/export-files.ts";
import { Clamd } from "../../actors/uploads/scanning/clamd.ts";
import { FileScanner } from "../../actors/uploads/scanning/file-scanner.ts";
import { redisBus } from "../../storage/cluster/bus-redis.ts";
import { redisLeases } from "../../storage/cluster/lease-redis.ts";
import { mailAlone, withMail } from "../../storage/cluster/mail.ts";
import type { RateBuckets } from "../../storage/cluster/rate-buckets.ts";
import { redisRateBuckets } from "../../storage/cluster/rate-buckets-redis.ts";
import { connectRedis } from "../../storage/cluster/redis.ts";
import type { FileStore } from "../../storage/files/file-store.ts";
import { FolderStore } from "../../storage/files/folder-store.ts";
import type { Database } from "../../storage/postgres.ts";
import { readContentKey, readInstallation } from "../../storage/realms.ts";
import { Attempts } from "../api/attempts.ts";
import { Authenticator } from "../api/auth.ts";
import { openApiDocument } from "../api/openapi.ts";
import type { RoutedApp } from "../api/pipeline.ts";
import { RateLimiter, type Rates } from "../api/rate-limit.ts";
import { ReadTurns } from "../api/read-turns.ts";
import { RateLimiters } from "../api/realm-rates.ts";
import { Router } from "../api/router.ts";
import { routes } from "../api/routes.ts";
import { signedAddresses } from "../external-content/address.ts";
import { ExternalContents } from "../external-content/external-content.ts";
import { LinkPreviews } from "../link-previews/link-previews.ts";
import { SiteReader } from "../link-previews/site-reader.ts";
import { apiPage } from "../pages/api-page.ts";
import { loadWebFiles } from "../pages/web-files.ts";
import type { PictureMaker } from "../pictures/picture-maker.ts";
import { findPrograms } from "../pictures/programs.ts";
import { removeStored } from "../pictures/shown-pictures.ts";
import { examine, newPictureMaker } from "../pictures/thumbnails.ts";
import { storedPath } from "../resources/uploads/files.ts";
import { Admission } from "../server/admission.ts";
import { AnswerBudget } from "../server/answer-budget.ts";
import { BodyBudget } from "../server/body-budget.ts";
import { loadUws } from "../server/builds/uws.ts";
import { KeptAnswers } from "../server/kept-answers.ts";
import { RequestTurns } from "../server/request-turns.ts";
import { Takeovers } from "../server/takeovers.ts";
import type { Config } from "./config.ts";
import type { Homes } from "./homes/homes.ts";
import type { LogLevels } from "./log-levels.ts";
import type { HttpMetrics } from "./metrics/metrics.ts";
import type { SteadyClock } from "./steady-clock.ts";
import type { Undo } from "./undo.ts";
import { readVersion } from "./version.ts";

/** What the parts of a node are made of. */
export interface Node {
  readonly config: Config;
  /** Its part `server`. */
  readonly log: Logger;
  readonly logLevels: LogLevels;
  readonly metrics: HttpMetrics;
  /** Undefined: nothing is traced. */
  readonly tracer: Tracer | undefined;
  readonly database: Database;
  readonly steadyClock: SteadyClock;
  /** Uploads, pictures and exports. */
  readonly files: FileStore;
}

/** Who makes pictures and previews, in processes of their own. */
export interface Makers {
  readonly pictures: PictureMaker;
  readonly siteReader: SiteReader;
  readonly linkPreviewer: LinkPreviews | undefined;
  /** Has uploads looked at; undefined: nobody does. */
  readonly fileScanner: FileScanner | undefined;
  /** Signs the addresses of pictures of other sites; undefined where none are shown. */
  readonly contentKey: Awaited<ReturnType<typeof readContentKey>> | undefined;
}

export async function newMakers({ config, log, tracer, database, files }: Node, undo: Undo): Promise<Makers> {
  const pictures = newPictureMaker(findPrograms(config.pictureBy));
  undo.add(() => pictures.close());
  const { alsoAllowed } = config;
  const siteReader = new SiteReader({ alsoAllowed, userAgent: `Parley/${readVersion()}`, tracer });
  const linkPreviewer = config.previewsLinks ? new LinkPreviews(files, siteReader, pictures, log) : undefined;
  undo.add(() => linkPreviewer?.close());
  undo.add(() => siteReader.close());
  const contentKey = config.showsExternalContent ? await readContentKey(database.sql) : undefined;
  return {
    pictures,
    siteReader,
    linkPreviewer,
    contentKey,
    fileScanner: newFileScanner(config, files, pictures, undo),
  };
}

function newFileScanner(
  { clamd: address, clamdTimeoutMs }: Config,
  files: FileStore,
  pictures: PictureMaker,
  undo: Undo,
): FileScanner | undefined {
  if (address === undefined) return undefined;
  const clamd = new Clamd(address, clamdTimeoutMs);
  const scanner = new FileScanner({
    ask: (file) => clamd.ask(file),
    examine: (path, type) => examine(pictures, files, path, type),
  });
  undo.add(() => {
    scanner.close();
    clamd.close();
  });
  return scanner;
}

export function newSystem(
  { config, logLevels, metrics, tracer, database, steadyClock, files }: Node,
  coordination: Coordination,
  { linkPreviewer, fileScanner, contentKey }: Makers,
): ActorSystem {
  return new ActorSystem({
    hasNeighbours: config.databases !== undefined,
    linkPreviewer,
    fileScanner,
    externalContent: contentKey && signedAddresses(contentKey),
    database,
    coordination,
    metrics,
    tracer,
    log: logLevels.of("organizations"),
    clock: () => Math.floor(Date.now() / 1000),
    steady: () => steadyClock.seconds(),
    steadySince: () => steadyClock.since(),
    limitsPresence: config.limitsPresence,
    servesReads: true,
    ...choicesOf(config),
    storedFiles: storedFilesOf(files),
    relay: relayOf(config),
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
}

function relayOf(config: Config): RealmEnvironment["relay"] {
  const url = config.pushService.url ?? config.pushRelayUrl;
  return url === undefined ? undefined : { url, readNews: new ReadNews() };
}

/** Where stored files are, for organizations and for exports. */
export const storedFilesOf = (files: FileStore): StoredFiles => ({
  files,
  storedUpload: storedPath,
  remove: (path) => removeStored(files, path),
});

/** Enough at once that their queues are stored together, and few enough that others' requests come between. */
const wholeStateLimits = { answers: 32, waiting: 20_000, patienceMs: 2_000 };

/** What this process answers requests with, and all its settings. */
export interface NodeApp extends RoutedApp {
  config: Config;
}

export function newApp(
  { config, logLevels, metrics, tracer, steadyClock, files }: Node,
  system: Homes,
  { pictures, siteReader, fileScanner, contentKey }: Makers,
  rateBuckets: RateBuckets | undefined,
): NodeApp {
  const log = logLevels.of("http");
  const uws = loadUws(config.httpBuild);
  if (!uws.takesAll)
    log.warn(
      `${uws.build} cannot take all that HTTP allows: see PARLEY_HTTP_BUILD in docs/settings.md, and use a proxy.`,
    );
  const makeLimiter = (rates: Rates) => new RateLimiter(rateBuckets, () => steadyClock.exact(), rates);
  const rateLimiter = makeLimiter(config.rates);
  const attempts = new Attempts(rateLimiter, log, metrics, config);
  return {
    config,
    system,
    metrics,
    tracer,
    log,
    logLevels,
    uws,
    authenticator: new Authenticator(attempts, config.trustedProxies),
    openIdClient: new OpenIdClient(),
    ldapClient: new LdapClient(),
    rateLimiter,
    rateLimiters: new RateLimiters(rateLimiter, config.ratesByHost, makeLimiter),
    attempts,
    resumed: new Takeovers(),
    incoming: new BodyBudget({ total: config.incomingBytesAtOnce, perCaller: config.incomingBytesAtOnce / 4 }),
    bodies: new BodyBudget({ total: config.maxBodyBytesAtOnce, perCaller: config.maxBodyBytesAtOnce / 2 }),
    answers: new AnswerBudget({ total: config.maxAnswerBytesAtOnce, perCaller: config.maxAnswerBytesAtOnce / 4 }),
    wholeStates: new Admission({ ...wholeStateLimits, bytes: config.maxAnswerBytesAtOnce / 8 }),
    largeBodies: new Turns(),
    description: {
      document: (url) => JSON.stringify(openApiDocument(routes, url)),
      page: (shown) => apiPage(routes, shown),
    },
    router: new Router(
      routes.filter((route) => route.isServed?.(config) ?? true),
      ["/api/v1", "/json"],
    ),
    turns: new RequestTurns(),
    readTurns: new ReadTurns(config.maxReadsPerAccount),
    keptAnswers: new KeptAnswers(),
    files,
    pictures,
    scansUploads: fileScanner !== undefined,
    // Copies that any node makes anew stay on its own disk.
    externalContents:
      contentKey && new ExternalContents(contentKey, new FolderStore(config.dataDir), siteReader, pictures),
    summaries:
      config.languageModel && new Summaries(config.languageModel, config.mayAsk, log, () => system.environment.clock()),
    gifs: newGifs(config, contentKey, log, () => system.environment.clock()),
    webFiles: loadWebFiles(),
    health: { state: "starting" },
  };
}

function newGifs(
  { gifs, mayAsk }: Config,
  contentKey: Makers["contentKey"],
  log: Logger,
  clock: () => number,
): Gifs | undefined {
  return gifs && contentKey && new Gifs(gifs, { isAllowed: mayAsk, sign: signedAddresses(contentKey), log, clock });
}

/** What this node shares with others through Redis; without Redis it is the whole server. */
interface Shared {
  coordination: Coordination;
  rateBuckets: RateBuckets | undefined;
}

export async function openShared(
  { config, database, logLevels, metrics, tracer }: Node,
  startedAt: number,
  undo: Undo,
): Promise<Shared> {
  const log = logLevels.of("cluster");
  const installation = await readInstallation(database.sql);
  const refusals = new Refusals(log, (what) => metrics.refused(what));
  if (config.redisUrl === undefined) {
    const bus = mailAlone(database, installation, () => refusals.refuse("message"));
    const coordination = localCoordination(startedAt, { bus, log });
    undo.add(() => coordination.close());
    return { coordination, rateBuckets: undefined };
  }
  const onError = (error: Error) => log.warn({ err: error.message }, "Redis");
  const wire = await redisBus(config.redisUrl, installation, { onError, onRefused: (what) => refusals.refuse(what) });
  const bus = withMail(wire, database, installation, () => refusals.refuse("message"));
  const connection = connectRedis(config.redisUrl, { onError });
  undo.add(() => connection.close());
  const cluster = new Cluster({
    bus,
    leases: redisLeases(connection, installation, bus.nodeId),
    leaseMs: config.leaseMs,
    log,
    metrics,
    tracer,
    startedAt,
    nodeName: `${hostname()}:${process.pid}`,
    version: readVersion(),
    clock: () => Math.floor(Date.now() / 1000),
  });
  undo.add(() => cluster.close());
  await cluster.start();
  return { coordination: cluster, rateBuckets: redisRateBuckets(connection, installation) };
}

/** What whoever runs the server decides for all organizations, for a node and for the command line. */
export const choicesOf = (config: Config) => ({
  webPublicChannels: config.webPublicChannelsEnabled,
  botDomain: config.botDomain,
  welcomesNewcomers: config.welcomes,
  mayAsk: config.mayAsk,
  callServices: config.callServices,
  identityProviders: config.identityProviders,
  directories: config.directories,
  sendsEmail: config.smtp !== undefined,
  mailInAddress: config.mailIn?.pattern,
  pushServiceUrl: config.pushService.url,
  urlOf: (host: string | null) => (host === null ? config.externalUrl : externalUrlOf(config, host)),
});

/** The address of an organization with a host of its own: the server's, under that host. */
export function externalUrlOf(config: Config, host: string): string {
  const url = new URL(config.externalUrl);
  return `${url.protocol}//${host}${host.includes(":") || url.port === "" ? "" : `:${url.port}`}`;
}
