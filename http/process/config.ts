/** Every setting, read from the environment once. A wrong value stops the start with one sentence that names the variable. */
import { existsSync } from "node:fs";
import { type JwtKeys, parseJwtKeys } from "../../actors/users/jwt.ts";
import { type RateName, type Rates, rates } from "../api/rate-limit.ts";

export interface Config {
  host: string;
  port: number;
  /** Which build of the HTTP server: the best that loads, or only one of a kind. */
  httpBuild: "auto" | "native" | "javascript";
  /** undefined: Parley starts a PostgreSQL of its own in `dataDir`. */
  databaseUrl: string | undefined;
  /** undefined: this process is the whole server. */
  redisUrl: string | undefined;
  dataDir: string;
  /** Where clients reach the server, without a trailing slash; the default follows `port`. */
  externalUrl: string;
  ownerEmail: string;
  ownerPassword: string | undefined;
  realmName: string;
  isDevelopment: boolean;
  hasRateLimits: boolean;
  /** How much of each kind is let through. */
  rates: Rates;
  logLevel: string;
  workers: number;
  /** Set by a supervisor for the processes that it starts, by nobody else. */
  isWorker: boolean;
  maxConnections: number;
  jwtKeys: JwtKeys;
  /** Address of the push notification relay; undefined: no push. */
  pushRelayUrl: string | undefined;
  webPublicChannelsEnabled: boolean;
  /** Presence only of people the caller may access. */
  limitsPresence: boolean;
  invitationValidityMinutes: number;
  maxBacklogEvents: number;
  maxBacklogBytes: number;
  idleAfterSecs: number;
  /** Seconds without queues and requests after which an organization is idle, and as long again until it is let go. */
  realmIdleAfterSecs: number;
  maxQueuesPerUser: number;
  commandDeadlineMs: number;
  /** Bytes of requests' bodies in memory at once; one caller may take half of it. */
  maxBodyBytesAtOnce: number;
  /** MiB of uploads of one account, and of an organization; 0 is no limit. */
  accountUploadQuotaMib: number;
  realmUploadQuotaMib: number;
  /** How long a node that says nothing keeps the organizations it writes. */
  leaseMs: number;
  /** Trust `X-Forwarded-For` of this many proxies in front. */
  trustedProxies: number;
}

export class ConfigError extends Error {
  override name = "ConfigError";
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws ConfigError */
export function readConfig(environment: Environment): Config {
  const text = (name: string): string | undefined => environment[name]?.trim() || undefined;
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
  const levels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];
  const logLevel = text("PARLEY_LOG_LEVEL") ?? "info";
  if (!levels.includes(logLevel))
    throw new ConfigError(`PARLEY_LOG_LEVEL must be one of ${levels.join(", ")}, not "${logLevel}".`);
  const ownerEmail = text("PARLEY_OWNER_EMAIL") ?? "owner@example.com";
  if (!/^[^\s@]+@[^\s@]+$/.test(ownerEmail))
    throw new ConfigError(`PARLEY_OWNER_EMAIL must be an email address, not "${ownerEmail}".`);
  const ownerPassword = environment["PARLEY_OWNER_PASSWORD"] || undefined;
  if (ownerPassword !== undefined && (ownerPassword.length < 6 || ownerPassword.length > 100)) {
    throw new ConfigError("PARLEY_OWNER_PASSWORD must have from 6 to 100 characters.");
  }
  const realmName = text("PARLEY_REALM_NAME") ?? "Parley";
  if ([...realmName].length > 40) throw new ConfigError("PARLEY_REALM_NAME must have at most 40 characters.");
  const host = text("HOST") ?? "0.0.0.0";
  if (/[\s/]/.test(host)) throw new ConfigError(`HOST must be an address to listen on, not "${host}".`);
  const port = integer("PORT", 9991, 0, 65_535);
  const httpBuild = text("PARLEY_HTTP_BUILD") ?? "auto";
  if (httpBuild !== "auto" && httpBuild !== "native" && httpBuild !== "javascript")
    throw new ConfigError(`PARLEY_HTTP_BUILD must be auto, native or javascript, not "${httpBuild}".`);
  const dataDir = text("PARLEY_DATA_DIR") ?? "./var";
  return {
    host,
    port,
    httpBuild,
    databaseUrl: url("DATABASE_URL", ["postgres:", "postgresql:"]),
    redisUrl: url("REDIS_URL", ["redis:", "rediss:"]),
    dataDir,
    externalUrl: url("PARLEY_URL", ["http:", "https:"]) ?? `http://localhost:${port}`,
    ownerEmail,
    ownerPassword,
    realmName,
    isDevelopment: flag("PARLEY_DEV", false),
    hasRateLimits: flag("PARLEY_RATE_LIMITS", true),
    rates: readRates(text),
    logLevel,
    workers: integer("PARLEY_WORKERS", 1, 1, 256),
    isWorker: flag("PARLEY_IS_WORKER", false),
    maxConnections: integer("PARLEY_DATABASE_CONNECTIONS", 16, 3, 1000),
    jwtKeys: readJwtKeys(text("PARLEY_JWT_KEYS")),
    pushRelayUrl: url("PARLEY_PUSH_RELAY_URL", ["http:", "https:"]),
    webPublicChannelsEnabled: flag("PARLEY_WEB_PUBLIC_STREAMS_ENABLED", true),
    limitsPresence: flag("PARLEY_CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE", false),
    invitationValidityMinutes: integer("PARLEY_INVITATION_LINK_VALIDITY_MINUTES", 14_400, 1, 2_000_000_000),
    maxBacklogEvents: integer("PARLEY_QUEUE_MAX_EVENTS", 10_000, 10, 10_000_000),
    maxBacklogBytes: integer("PARLEY_QUEUE_MAX_BYTES", 64 * 1024 * 1024, 10_000, 2 ** 40),
    maxQueuesPerUser: integer("PARLEY_QUEUE_MAX_PER_ACCOUNT", 1000, 1, 1_000_000),
    idleAfterSecs: integer("PARLEY_QUEUE_IDLE_AFTER", 90, 1, 86_400),
    realmIdleAfterSecs: integer("PARLEY_REALM_IDLE_AFTER", 600, 1, 86_400),
    commandDeadlineMs: integer("PARLEY_COMMAND_DEADLINE_MS", 10_000, 100, 600_000),
    maxBodyBytesAtOnce: integer("PARLEY_BODY_BYTES_AT_ONCE", 384 * 1024 * 1024, 204 * 1024 * 1024, 2 ** 40),
    accountUploadQuotaMib: integer("PARLEY_ACCOUNT_UPLOAD_QUOTA_MIB", 5 * 1024, 0, 2 ** 31),
    realmUploadQuotaMib: integer("PARLEY_REALM_UPLOAD_QUOTA_MIB", 50 * 1024, 0, 2 ** 31),
    leaseMs: integer("PARLEY_LEASE_MS", 1500, 1000, 60_000),
    trustedProxies: integer("PARLEY_TRUSTED_PROXIES", 0, 0, 10),
  };
}

/** `PARLEY_RATE_LIMIT_API_BY_USER` and the like: so many, in so many seconds. @throws ConfigError */
function readRates(text: (name: string) => string | undefined): Rates {
  const chosen: Rates = Object.fromEntries(
    Object.entries(rates).map(([kind, rate]) => {
      const name = `PARLEY_RATE_LIMIT_${kind.toUpperCase()}`;
      const value = text(name);
      if (value === undefined) return [kind, rate];
      const [, limit, windowSecs] = /^(\d{1,9})\/(\d{1,6})$/.exec(value) ?? [];
      if (!(Number(limit) > 0 && Number(windowSecs) > 0 && Number(windowSecs) <= 86_400))
        throw new ConfigError(
          `${name} must be like "${rate.limit}/${rate.windowSecs}" (so many in so many seconds, at most 86400), not "${value}".`,
        );
      return [kind, { limit: Number(limit), windowSecs: Number(windowSecs) }];
    }),
  ) as Record<RateName, Rates[RateName]>;
  return chosen;
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
