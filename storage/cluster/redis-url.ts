/** Reads `REDIS_URL`: one Redis, or Sentinels that know which of several is the master. */

/** Options for the Redis client. */
export interface RedisAddress {
  host?: string;
  port?: number;
  username?: string;
  password?: string;
  db?: number;
  tls?: object;
  /** The Sentinels. */
  sentinels?: { host: string; port: number }[];
  name?: string;
  sentinelUsername?: string;
  sentinelPassword?: string;
  enableTLSForSentinelMode?: boolean;
  sentinelTLS?: object;
  /** Whether Sentinels tell of a new master, even while connections to the old one live on. */
  failoverDetector?: boolean;
}

const redisPort = 6379;
const sentinelPort = 26_379;

/**
 * Reads `redis://user:password@host:port/db` or
 * `redis+sentinel://user:password@host:port,host:port/name/db?sentinel_password=…`; `rediss` is for TLS.
 * @throws Error that says in one sentence what is wrong, without the password
 */
export function readRedisUrl(text: string): RedisAddress {
  const [, scheme, authority = "", path, query] =
    /^(rediss?(?:\+sentinel)?):\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(text) ?? [];
  if (scheme === undefined)
    throw new Error('must be an address that starts with "redis://", "rediss://" or "redis+sentinel://".');
  const at = authority.lastIndexOf("@");
  const [username = "", ...password] = at < 0 ? [] : authority.slice(0, at).split(":");
  const parameters = new URLSearchParams(query);
  const isSentinel = scheme.endsWith("+sentinel");
  const isSecure = scheme.startsWith("rediss");
  const hosts = authority
    .slice(at + 1)
    .split(",")
    .map((one) => readHost(one, isSentinel ? sentinelPort : redisPort));
  const parts = (path ?? "").split("/").filter((part) => part !== "");
  const name = isSentinel ? parts.shift() : undefined;
  if (isSentinel && name === undefined)
    throw new Error("must say after its Sentinels which Redis they are to be asked for, as in /mymaster.");
  if (!isSentinel && hosts.length > 1)
    throw new Error('names several hosts: start it with "redis+sentinel://" if they are Sentinels.');
  const db = parts.shift() ?? parameters.get("db") ?? "0";
  if (!/^\d{1,4}$/.test(db) || parts.length > 0)
    throw new Error("must end with the number of a database, if with anything.");
  const sentinelUsername = parameters.get("sentinel_username");
  const sentinelPassword = parameters.get("sentinel_password");
  return {
    ...(username !== "" && { username: decodeURIComponent(username) }),
    ...(password.length > 0 && { password: decodeURIComponent(password.join(":")) }),
    db: Number(db),
    ...(isSecure && { tls: {} }),
    ...(name !== undefined
      ? {
          sentinels: hosts,
          name: decodeURIComponent(name),
          failoverDetector: true,
          ...(isSecure && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
          ...(sentinelUsername !== null && { sentinelUsername }),
          ...(sentinelPassword !== null && { sentinelPassword }),
        }
      : hosts[0]),
  };
}

function readHost(text: string, defaultPort: number): { host: string; port: number } {
  const [, quoted, plain, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const number = Number(port ?? defaultPort);
  const host = quoted ?? plain;
  if (host === undefined || !(number > 0 && number < 65_536)) throw new Error(`names no host and port with "${text}".`);
  return { host: host || "localhost", port: number };
}
