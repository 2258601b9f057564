/** Reads `DATABASE_URL` in libpq's format, of which the driver reads only a part. */
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { type ConnectionOptions, checkServerIdentity } from "node:tls";
import { messageOf } from "./failures.ts";

/** Where a database is, and how to trust it: options for the driver. */
export interface DatabaseAddress {
  /** The account, the database and settings of the session, with the first host only. */
  url: string;
  /** Tried in this order. */
  host: string[];
  port: number[];
  /** Path of a Unix socket. */
  path: string | undefined;
  ssl: false | "prefer" | "allow" | "require" | ConnectionOptions;
  /** Which of several hosts is used. */
  sessions: "read-write" | "read-only" | "primary" | "standby" | "prefer-standby" | undefined;
}

const defaultPort = 5432;
const sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;
const sessionKinds = ["any", "read-write", "read-only", "primary", "standby", "prefer-standby"] as const;

/**
 * Reads `postgres://user:password@host:port,host:port/database?sslmode=verify-full&sslrootcert=file`. Of several hosts,
 * unless `target_session_attrs` says otherwise, the first is used that takes changes. Source:
 * https://www.postgresql.org/docs/current/libpq-connect.html, Connection URIs and Parameter Key Words.
 * @throws Error that says in one sentence what is wrong, without the password
 */
export function readDatabaseUrl(text: string): DatabaseAddress {
  const [, scheme, authority = "", path, query] =
    /^(postgres(?:ql)?:\/\/)([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/.exec(text) ?? [];
  if (scheme === undefined) throw new Error('must be an address that starts with "postgres://".');
  const account = authority.slice(0, authority.lastIndexOf("@") + 1);
  const parameters = new URLSearchParams(query);
  const take = (name: string): string | undefined => {
    const value = parameters.get(name) ?? undefined;
    parameters.delete(name);
    return value || undefined;
  };
  const hosts = readHosts(authority.slice(account.length), take("host"), take("port"));
  const ssl = readSsl(
    { mode: take("sslmode") ?? take("ssl"), rootCert: take("sslrootcert"), cert: take("sslcert"), key: take("sslkey") },
    hosts.map(({ name }) => name),
  );
  const sessions = oneOf(sessionKinds, "target_session_attrs", take("target_session_attrs"));
  const socket = hosts.find(({ name }) => name.startsWith("/"));
  if (socket !== undefined && hosts.length > 1) throw new Error("may name either one Unix socket or several hosts.");
  const rest = parameters.size > 0 ? `?${parameters}` : "";
  const url = `${scheme}${account}localhost${path ?? ""}${rest}`;
  if (!URL.canParse(url) || !isEncoded(account))
    throw new Error("must have its user's name and password percent-encoded.");
  return {
    url,
    host: hosts.map(({ name }) => name),
    port: hosts.map(({ port }) => port),
    path: socket && `${socket.name}/.s.PGSQL.${socket.port}`,
    ssl,
    // A standby server would look like one on which every change fails.
    sessions: sessions === "any" ? undefined : (sessions ?? (hosts.length > 1 ? "read-write" : undefined)),
  };
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

interface Host {
  name: string;
  port: number;
}

function readHosts(inAuthority: string, inQuery: string | undefined, portInQuery: string | undefined): Host[] {
  return (inQuery ?? inAuthority).split(",").map((one) => {
    const [, quoted, plain, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(one) ?? [];
    const number = Number(port ?? portInQuery ?? defaultPort);
    const name = quoted ?? plain?.replace(/%2F/gi, "/");
    if (name === undefined || !(number > 0 && number < 65_536))
      throw new Error(`names no host and port with "${one}".`);
    return { name: name || "localhost", port: number };
  });
}

interface SslParameters {
  mode: string | undefined;
  rootCert: string | undefined;
  cert: string | undefined;
  key: string | undefined;
}

function readSsl({ mode, rootCert, cert, key }: SslParameters, hosts: readonly string[]): DatabaseAddress["ssl"] {
  const known = mode === "true" ? "require" : mode === "false" ? "disable" : oneOf(sslModes, "sslmode", mode);
  const hasOwnRoots = rootCert !== undefined && rootCert !== "system";
  const chosen = known ?? (rootCert === "system" ? "verify-full" : hasOwnRoots ? "verify-ca" : "disable");
  if (chosen === "disable") return false;
  const own: ConnectionOptions = {
    ...(hasOwnRoots && { ca: read("sslrootcert", rootCert) }),
    ...(cert !== undefined && { cert: read("sslcert", cert) }),
    ...(key !== undefined && { key: read("sslkey", key) }),
  };
  if (chosen === "verify-full") {
    // For a host that is an address the driver gives TLS no name, and TLS would check for "localhost".
    const addresses = hosts.filter((host) => isIP(host) !== 0);
    return {
      ...own,
      checkServerIdentity: (name, certificate) => {
        const problems = (hosts.includes(name) ? [name] : addresses).map((host) =>
          checkServerIdentity(host, certificate),
        );
        return problems.includes(undefined) ? undefined : (problems[0] ?? new Error(`${name} is not the database`));
      },
    };
  }
  // Given roots are used, as by libpq.
  if (chosen === "verify-ca" || hasOwnRoots) return { ...own, checkServerIdentity: () => undefined };
  return cert === undefined ? chosen : { ...own, rejectUnauthorized: false };
}

function read(name: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Error(`names a file with ${name} that cannot be read: ${messageOf(error)}.`);
  }
}

function oneOf<T extends string>(values: readonly T[], name: string, value: string | undefined): T | undefined {
  const found = values.find((one) => one === value);
  if (value === undefined || found !== undefined) return found;
  throw new Error(`must have ${name} be one of ${values.join(", ")}, not "${value}".`);
}
