/** Every setting, read from the environment once. A wrong value stops the start with one sentence that names the variable. */
import { existsSync } from "node:fs";
import { type JwtKeys, parseJwtKeys } from "../actors/jwt.ts";

export interface Config {
  host: string;
  port: number;
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
  recentBytes: number;
  idleAfterSecs: number;
  commandDeadlineMs: number;
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
  const dataDir = text("PARLEY_DATA_DIR") ?? "./var";
  return {
    host,
    port,
    databaseUrl: url("DATABASE_URL", ["postgres:", "postgresql:"]),
    redisUrl: url("REDIS_URL", ["redis:", "rediss:"]),
    dataDir,
    externalUrl: url("PARLEY_URL", ["http:", "https:"]) ?? `http://localhost:${port}`,
    ownerEmail,
    ownerPassword,
    realmName,
    isDevelopment: flag("PARLEY_DEV", false),
    hasRateLimits: flag("PARLEY_RATE_LIMITS", true),
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
    recentBytes: integer("PARLEY_RECENT_MAX_BYTES", 32 * 1024 * 1024, 10_000, 2 ** 40),
    idleAfterSecs: integer("PARLEY_QUEUE_IDLE_AFTER", 90, 1, 86_400),
    commandDeadlineMs: integer("PARLEY_COMMAND_DEADLINE_MS", 10_000, 100, 600_000),
    leaseMs: integer("PARLEY_LEASE_MS", 1500, 1000, 60_000),
    trustedProxies: integer("PARLEY_TRUSTED_PROXIES", 0, 0, 10),
  };
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
