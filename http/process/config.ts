/**
 * Every setting, read from the environment once. A wrong value stops the start with one sentence that names the
 * variable.
 */
import { existsSync } from "node:fs";
import type { CallServices } from "../../actors/calls/services.ts";
import { readSender, readSmtpUrl, type SmtpSettings } from "../../actors/email/smtp.ts";
import { type AddressRule, parseAllowedAddresses } from "../../actors/outbound/allowed-addresses.mjs";
import { isMailDomain } from "../../actors/realm/state/bot-domain.ts";
import { type JwtKeys, parseJwtKeys } from "../../actors/users/jwt.ts";
import { passwordFault } from "../../actors/users/passwords/new-password.ts";
import { readRedisUrl } from "../../storage/cluster/redis-url.ts";
import { readDatabaseUrl } from "../../storage/database-url.ts";
import { parseSecret } from "../../storage/secret-key.ts";
import { hostNameOf, isLoopbackName } from "../api/addresses.ts";
import { type Rate, type RateName, type Rates, rates } from "../api/rate-limit.ts";
import type { RatesByHost } from "../api/realm-rates.ts";
import type { WantedBuild } from "../server/builds/uws.ts";
import { readCallServices } from "./call-services.ts";

export interface Config {
  host: string;
  port: number;
  /** Which build of the HTTP server: the best that loads, or only one of a kind. */
  httpBuild: WantedBuild;
  /** undefined: Parley starts a PostgreSQL of its own in `dataDir`. */
  databaseUrl: string | undefined;
  /** undefined: this process is the whole server. */
  redisUrl: string | undefined;
  dataDir: string;
  /** Seals API keys in the database; undefined: it is in `secretKeyFile`. */
  secretKey: string | undefined;
  /** Undefined: it is in `dataDir`, and is made there by the first start. */
  secretKeyFile: string | undefined;
  /** Where clients reach the server, without a trailing slash; the default follows `port`. */
  externalUrl: string;
  /** Somebody said so; else the address by which a lone organization is asked is as good. */
  isUrlChosen: boolean;
  ownerEmail: string;
  ownerPassword: string | undefined;
  realmName: string;
  /** Lets anybody log in as anybody: on this machine only, unless `isDevelopmentOpen`. */
  isDevelopment: boolean;
  /** Lets other machines do so as well. */
  isDevelopmentOpen: boolean;
  hasRateLimits: boolean;
  /** How much of each kind is let through. */
  rates: Rates;
  /** The same for organizations with limits of their own. */
  ratesByHost: RatesByHost;
  logLevel: string;
  workers: number;
  /** Set by a supervisor for the processes that it starts, by nobody else. */
  isWorker: boolean;
  maxConnections: number;
  jwtKeys: JwtKeys;
  /** Seconds since a token was made (`iat`) for which it is good; 0: only its own `exp` ends it. */
  jwtMaxAgeSecs: number;
  /** Address of the push notification relay; undefined: no push. */
  pushRelayUrl: string | undefined;
  /** The mail server; undefined: no emails are sent. */
  smtp: SmtpSettings | undefined;
  webPublicChannelsEnabled: boolean;
  /** Presence only of people the caller may access. */
  limitsPresence: boolean;
  /**
   * Domain of the addresses that the server makes up, of bots and of people who hide theirs; undefined: from the host.
   */
  botDomain: string | undefined;
  /** New organizations begin with first messages, and newcomers are welcomed. */
  welcomes: boolean;
  /** Which addresses are asked on somebody's behalf: those of the open internet, and those that the setting names. */
  mayAsk: AddressRule;
  /** The addresses of the own network in it, as they were given. */
  alsoAllowed: string;
  /** Where people hold video calls. */
  callServices: CallServices;
  invitationValidityMinutes: number;
  maxBacklogEvents: number;
  maxBacklogBytes: number;
  recentBytes: number;
  idleAfterSecs: number;
  /** Seconds without queues and requests after which an organization is idle, and as long again until it is let go. */
  realmIdleAfterSecs: number;
  maxQueuesPerUser: number;
  commandDeadlineMs: number;
  /** How long PostgreSQL works on one statement of a read. */
  readTimeoutMs: number;
  /** Reads of one account that are under way at the same time. */
  maxReadsPerAccount: number;
  /** Bytes of requests' bodies in memory at once; one caller may take half of it. */
  maxBodyBytesAtOnce: number;
  /** Bytes of large answers that wait to be read; one caller may have a quarter of it. */
  maxAnswerBytesAtOnce: number;
  /** MiB of uploads of one account, and of an organization; 0 is no limit. */
  accountUploadQuotaMib: number;
  realmUploadQuotaMib: number;
  /** How long a node that says nothing keeps the organizations it writes. */
  leaseMs: number;
  /** Pages that messages link to are read, where an organization wants it. */
  previewsLinks: boolean;
  /** Pictures and films of other sites that messages link to are shown, where an organization wants it. */
  showsExternalContent: boolean;
  /** Where, besides, only whoever runs the server asks; undefined: nowhere. */
  adminAddress: { host: string; port: number } | undefined;
  /** By which they are known anywhere; undefined: there is none. */
  adminToken: string | undefined;
  /** With Redis: how long a node that is to stop says so before it takes no more connections. */
  drainAnnounceMs: number;
  /** Trust `X-Forwarded-For` of this many proxies in front. */
  trustedProxies: number;
  /** Variables that look like settings and are none. */
  unknownVariables: string[];
}

export class ConfigError extends Error {
  override name = "ConfigError";
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws ConfigError */
export function readConfig(environment: Environment): Config {
  const known = new Set(["PARLEY_OWNER_PASSWORD"]);
  const text = (name: string): string | undefined => {
    known.add(name);
    return environment[name]?.trim() || undefined;
  };
  const integer = (name: string, fallback: number, min: number, max: number): number => {
    const value = text(name);
    if (value === undefined) return fallback;
    if (!/^\d+$/.test(value) || Number(value) < min || Number(value) > max) {
      throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${value}".`);
    }
    return Number(value);
  };
  const flag = (name: string, fallback: boolean): boolean => {
    const value = text(name)?.toLowerCase();
    if (value === undefined) return fallback;
    if (["1", "true", "on", "yes"].includes(value)) return true;
    if (["0", "false", "off", "no"].includes(value)) return false;
    throw new ConfigError(`${name} must be "on" or "off", not "${value}".`);
  };
  const url = (name: string, protocols: string[]): string | undefined => {
    const value = text(name);
    if (value === undefined) return undefined;
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
      throw new ConfigError(
        `${name} must be an address that starts with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}, not "${value}".`,
      );
    }
    return value.replace(/\/+$/, "");
  };
  /** One that may hold a password, which no message shows. */
  const address = (name: string, check: (value: string) => unknown): string | undefined => {
    const value = text(name);
    try {
      if (value !== undefined) check(value);
    } catch (error) {
      throw new ConfigError(`${name} ${(error as Error).message}`);
    }
    return value;
  };
  const levels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];
  const logLevel = text("PARLEY_LOG_LEVEL") ?? "info";
  if (!levels.includes(logLevel))
    throw new ConfigError(`PARLEY_LOG_LEVEL must be one of ${levels.join(", ")}, not "${logLevel}".`);
  const ownerEmail = text("PARLEY_OWNER_EMAIL") ?? "owner@example.com";
  if (!/^[^\s@]+@[^\s@]+$/.test(ownerEmail))
    throw new ConfigError(`PARLEY_OWNER_EMAIL must be an email address, not "${ownerEmail}".`);
  const realmName = text("PARLEY_REALM_NAME") ?? "Parley";
  if ([...realmName].length > 40) throw new ConfigError("PARLEY_REALM_NAME must have at most 40 characters.");
  const ownerPassword = environment["PARLEY_OWNER_PASSWORD"] || undefined;
  const fault = ownerPassword === undefined ? undefined : passwordFault(ownerPassword, [ownerEmail, realmName]);
  if (fault !== undefined) throw new ConfigError(`PARLEY_OWNER_PASSWORD ${fault}`);
  const alsoAllowed = text("PARLEY_ALLOWED_ADDRESSES") ?? "";
  const isDevelopment = flag("PARLEY_DEV", false);
  const isDevelopmentOpen = flag("PARLEY_DEV_OPEN", false);
  const isLocal = isDevelopment && !isDevelopmentOpen;
  const host = text("HOST") ?? (isLocal ? "127.0.0.1" : "0.0.0.0");
  if (/[\s/]/.test(host)) throw new ConfigError(`HOST must be an address to listen on, not "${host}".`);
  if (isLocal && !isLoopbackName(host)) {
    throw new ConfigError(
      `HOST must be a loopback address, not "${host}", while PARLEY_DEV lets anybody log in as anybody; PARLEY_DEV_OPEN=on lets other machines do so.`,
    );
  }
  const port = integer("PORT", 9991, 0, 65_535);
  const httpBuild: string = text("PARLEY_HTTP_BUILD") ?? "auto";
  if (httpBuild !== "auto" && httpBuild !== "native" && httpBuild !== "javascript")
    throw new ConfigError(`PARLEY_HTTP_BUILD must be auto, native or javascript, not "${httpBuild}".`);
  const adminToken = text("PARLEY_ADMIN_TOKEN");
  if (adminToken !== undefined && !/^[!-~]{16,200}$/.test(adminToken))
    throw new ConfigError("PARLEY_ADMIN_TOKEN must have from 16 to 200 printable characters without spaces.");
  const generalRates = readRates(text);
  const botDomain = text("PARLEY_BOT_DOMAIN");
  if (botDomain !== undefined && !isMailDomain(botDomain))
    throw new ConfigError(`PARLEY_BOT_DOMAIN must be a domain like bots.example.com, not "${botDomain}".`);
  const dataDir = text("PARLEY_DATA_DIR") ?? "./var";
  const config: Omit<Config, "unknownVariables"> = {
    host,
    port,
    httpBuild,
    databaseUrl: address("DATABASE_URL", readDatabaseUrl),
    redisUrl: address("REDIS_URL", readRedisUrl),
    dataDir,
    secretKey: address("PARLEY_SECRET_KEY", parseSecret),
    secretKeyFile: text("PARLEY_SECRET_KEY_FILE"),
    isUrlChosen: text("PARLEY_URL") !== undefined,
    externalUrl: url("PARLEY_URL", ["http:", "https:"]) ?? `http://localhost:${port}`,
    ownerEmail,
    ownerPassword,
    realmName,
    isDevelopment,
    isDevelopmentOpen,
    hasRateLimits: flag("PARLEY_RATE_LIMITS", true),
    rates: generalRates,
    ratesByHost: readRatesByHost(text("PARLEY_RATE_LIMITS_BY_HOST"), generalRates),
    logLevel,
    workers: integer("PARLEY_WORKERS", 1, 1, 256),
    isWorker: flag("PARLEY_IS_WORKER", false),
    maxConnections: integer("PARLEY_DATABASE_CONNECTIONS", 16, 3, 1000),
    jwtKeys: readJwtKeys(text("PARLEY_JWT_KEYS")),
    jwtMaxAgeSecs: integer("PARLEY_JWT_MAX_AGE_SECS", 0, 0, 2_000_000_000),
    pushRelayUrl: url("PARLEY_PUSH_RELAY_URL", ["http:", "https:"]),
    smtp: readSmtp(address("PARLEY_SMTP_URL", readSmtpUrl), address("PARLEY_MAIL_FROM", readSender)),
    webPublicChannelsEnabled: flag("PARLEY_WEB_PUBLIC_STREAMS_ENABLED", true),
    limitsPresence: flag("PARLEY_CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE", false),
    botDomain,
    welcomes: flag("PARLEY_WELCOME", true),
    mayAsk: readAllowedAddresses("PARLEY_ALLOWED_ADDRESSES", alsoAllowed),
    alsoAllowed,
    callServices: readCalls(text, (name) => url(name, ["http:", "https:"])),
    invitationValidityMinutes: integer("PARLEY_INVITATION_LINK_VALIDITY_MINUTES", 14_400, 1, 2_000_000_000),
    maxBacklogEvents: integer("PARLEY_QUEUE_MAX_EVENTS", 10_000, 10, 10_000_000),
    maxBacklogBytes: integer("PARLEY_QUEUE_MAX_BYTES", 64 * 1024 * 1024, 10_000, 2 ** 40),
    maxQueuesPerUser: integer("PARLEY_QUEUE_MAX_PER_ACCOUNT", 1000, 1, 1_000_000),
    recentBytes: integer("PARLEY_RECENT_MAX_BYTES", 32 * 1024 * 1024, 10_000, 2 ** 40),
    idleAfterSecs: integer("PARLEY_QUEUE_IDLE_AFTER", 90, 1, 86_400),
    realmIdleAfterSecs: integer("PARLEY_REALM_IDLE_AFTER", 600, 1, 86_400),
    commandDeadlineMs: integer("PARLEY_COMMAND_DEADLINE_MS", 10_000, 100, 600_000),
    readTimeoutMs: integer("PARLEY_READ_TIMEOUT_MS", 10_000, 100, 600_000),
    maxReadsPerAccount: integer("PARLEY_READS_PER_ACCOUNT", 4, 1, 1000),
    maxBodyBytesAtOnce: integer("PARLEY_BODY_BYTES_AT_ONCE", 384 * 1024 * 1024, 204 * 1024 * 1024, 2 ** 40),
    maxAnswerBytesAtOnce: integer("PARLEY_ANSWER_BYTES_AT_ONCE", 512 * 1024 * 1024, 64 * 1024 * 1024, 2 ** 40),
    accountUploadQuotaMib: integer("PARLEY_ACCOUNT_UPLOAD_QUOTA_MIB", 5 * 1024, 0, 2 ** 31),
    realmUploadQuotaMib: integer("PARLEY_REALM_UPLOAD_QUOTA_MIB", 50 * 1024, 0, 2 ** 31),
    leaseMs: integer("PARLEY_LEASE_MS", 1500, 1000, 60_000),
    previewsLinks: flag("PARLEY_LINK_PREVIEWS", false),
    showsExternalContent: flag("PARLEY_EXTERNAL_CONTENT", true),
    adminAddress: readAddress("PARLEY_ADMIN_ADDRESS", text("PARLEY_ADMIN_ADDRESS")),
    adminToken,
    drainAnnounceMs: integer("PARLEY_DRAIN_ANNOUNCE_MS", 1200, 0, 600_000),
    trustedProxies: integer("PARLEY_TRUSTED_PROXIES", 0, 0, 10),
  };
  const unknownVariables = Object.keys(environment).filter((name) => name.startsWith("PARLEY_") && !known.has(name));
  return { ...config, unknownVariables: unknownVariables.sort() };
}

/** What whoever starts the server should know each time, a sentence each. */
export function warningsOf(config: Config): string[] {
  const warnings: string[] = [];
  if (config.unknownVariables.length > 0)
    warnings.push(`There are no such settings, so they have no effect: ${config.unknownVariables.join(", ")}.`);
  if (config.isDevelopment) {
    const who = config.isDevelopmentOpen ? "anybody who reaches this server" : "every program on this machine";
    warnings.push(`PARLEY_DEV is on: ${who} gets anybody's API key. Never use it where people chat.`);
  }
  if (config.jwtKeys.size > 0 && config.jwtMaxAgeSecs === 0)
    warnings.push("PARLEY_JWT_MAX_AGE_SECS is not set: a token in which the signer put no exp is good for ever.");
  return warnings;
}

function readAllowedAddresses(name: string, value: string): AddressRule {
  try {
    return parseAllowedAddresses(value);
  } catch (error) {
    throw new ConfigError(`${name} ${(error as Error).message}`);
  }
}

function readCalls(...read: Parameters<typeof readCallServices>): CallServices {
  try {
    return readCallServices(...read);
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
}

function readSmtp(url: string | undefined, from: string | undefined): SmtpSettings | undefined {
  if (url === undefined) return undefined;
  if (from === undefined)
    throw new ConfigError("PARLEY_MAIL_FROM is missing: emails have to be from somebody, like chat@example.com.");
  return { ...readSmtpUrl(url), from: readSender(from) };
}

function readAddress(name: string, value: string | undefined): Config["adminAddress"] {
  if (value === undefined) return undefined;
  const port = Number(/:(\d{1,5})$/.exec(value)?.[1]);
  const host = hostNameOf(value);
  if (host === undefined || !(port >= 0 && port <= 65_535))
    throw new ConfigError(`${name} must be an address and a port, like 127.0.0.1:9992, not "${value}".`);
  return { host, port };
}

/** `PARLEY_RATE_LIMIT_API_BY_USER` and the like: so many, in so many seconds. @throws ConfigError */
function readRates(text: (name: string) => string | undefined): Rates {
  const chosen: Rates = Object.fromEntries(
    Object.entries(rates).map(([kind, rate]) => {
      const name = `PARLEY_RATE_LIMIT_${kind.toUpperCase()}`;
      const value = text(name);
      return [kind, value === undefined ? rate : readRate(name, value, rate)];
    }),
  ) as Record<RateName, Rates[RateName]>;
  return chosen;
}

function readRate(name: string, value: unknown, example: Rate): Rate {
  const [, limit, windowSecs] = /^(\d{1,9})\/(\d{1,6})$/.exec(String(value)) ?? [];
  if (!(Number(limit) > 0 && Number(windowSecs) > 0 && Number(windowSecs) <= 86_400))
    throw new ConfigError(
      `${name} must be like "${example.limit}/${example.windowSecs}" (so many in so many seconds, at most 86400), not "${value}".`,
    );
  return { limit: Number(limit), windowSecs: Number(windowSecs) };
}

/** `{"chat.example.com": {"api_by_user": "400/60"}}`: what is left out is as for everybody. @throws ConfigError */
function readRatesByHost(text: string | undefined, general: Rates): RatesByHost {
  const name = "PARLEY_RATE_LIMITS_BY_HOST";
  let given: unknown;
  try {
    given = JSON.parse(text ?? "{}");
  } catch {
    throw new ConfigError(`${name} must be JSON, like {"chat.example.com": {"api_by_user": "400/60"}}.`);
  }
  const isObject = (value: unknown): value is object =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject(given) || !Object.values(given).every(isObject))
    throw new ConfigError(
      `${name} must be an object of objects, like {"chat.example.com": {"api_by_user": "400/60"}}.`,
    );
  return new Map(
    Object.entries(given).map(([host, own]) => {
      const chosen = new Map<string, Rate>(Object.entries(general));
      for (const [kind, value] of Object.entries(own)) {
        const before = chosen.get(kind);
        if (!before) throw new ConfigError(`${name} knows ${[...chosen.keys()].join(", ")}, not "${kind}".`);
        chosen.set(kind, readRate(`${name} (${host}, ${kind})`, value, before));
      }
      return [host.toLowerCase(), Object.fromEntries(chosen) as Rates];
    }),
  );
}

function readJwtKeys(text: string | undefined): JwtKeys {
  try {
    return parseJwtKeys(text ?? "{}");
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
}

/** Whether a `.env`-like mistake is likely: a data folder that is a file. @throws ConfigError */
export function checkDataDir(dataDir: string, isDirectory: (path: string) => boolean): void {
  if (existsSync(dataDir) && !isDirectory(dataDir))
    throw new ConfigError(`PARLEY_DATA_DIR must be a folder, but ${dataDir} is a file.`);
}
