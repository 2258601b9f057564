/**
 * A connection to a directory, by LDAP. It is made for one purpose, ends after it, and is bounded in time and bytes:
 * whatever a directory does, nobody waits for longer, and nothing larger comes into memory.
 */
import { connect as connectPlain, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { AndFilter, Client, EqualityFilter, type Filter, FilterParser, OrFilter, ResultCodeError } from "ldapts";
import { codeOf } from "../../storage/failures.ts";
import type { Directory } from "../identities/directories.ts";
import { isOneMessage } from "./one-message.ts";

/** What a connection may take. */
export interface Bounds {
  /** Of everything together. */
  timeoutMs: number;
  /** Of one server until it answers anything, so that the next is asked as well. */
  connectMs: number;
  /** Bytes that the directory may send. */
  maxBytes: number;
}

/** A directory that cannot be asked. The message is the rest of a sentence. */
export class Unreached extends Error {
  override name = "Unreached";
}

/** An entry, by its attributes in small letters. Values are bytes: what is text is known by its attribute. */
export interface Entry {
  dn: string;
  values: ReadonlyMap<string, readonly Buffer[]>;
}

/** Attribute and value of what is looked for. Values go as they are, so none of them is read as a filter. */
export type Match = readonly [attribute: string, value: string | Buffer];

export interface Search {
  base: string;
  scope: "base" | "sub";
  /** Of the settings. */
  filter: string;
  /** One of these has to be as well; without any, the filter is all. */
  anyOf?: readonly Match[];
  attributes: readonly string[];
}

/** @throws Error for a filter that is none */
export function checkFilter(filter: string): void {
  FilterParser.parseString(filter);
}

/** Results by which a directory refuses a password, or whose it is. Source: RFC 4511, A.2. */
const refusals: ReadonlySet<number> = new Set([
  19, // constraintViolation: a policy has locked the account
  32, // noSuchObject
  34, // invalidDNSyntax
  48, // inappropriateAuthentication: it has no password
  49, // invalidCredentials
  50, // insufficientAccessRights
  53, // unwillingToPerform: it is disabled
]);

export class Session {
  constructor(private readonly client: Client) {}

  /** Whether the directory takes a password. @throws Unreached, and whatever else goes wrong */
  async isPassword(dn: string, password: string): Promise<boolean> {
    // A bind without a password is one of nobody, and succeeds.
    if (password === "") return false;
    try {
      await this.client.bind(dn, password);
      return true;
    } catch (error) {
      if (error instanceof ResultCodeError && refusals.has(error.code)) return false;
      throw error;
    }
  }

  /** Binds as the server itself. @throws Unreached */
  async bindService({ dn, password }: NonNullable<Directory["service"]>): Promise<void> {
    if (!(await this.isPassword(dn, password))) throw new Unreached("it refuses this server's own password");
  }

  /** Entries that fit, at most so many. A base that is not there has none. */
  async search(search: Search, sizeLimit: number): Promise<Entry[]> {
    try {
      const { searchEntries } = await this.client.search(search.base, { ...optionsOf(search), sizeLimit });
      return searchEntries.map(entryOf);
    } catch (error) {
      if (error instanceof ResultCodeError && error.code === 32) return [];
      throw error;
    }
  }

  /** All entries that fit, some at a time. @throws where the directory does not tell all of them */
  async *pages(search: Search, pageSize: number): AsyncGenerator<Entry[]> {
    const options = { ...optionsOf(search), paged: { pageSize } };
    for await (const { searchEntries, searchReferences } of this.client.searchPaginated(search.base, options)) {
      if (searchReferences.length > 0) throw new Unreached("it says that others know the rest");
      yield searchEntries.map(entryOf);
    }
  }
}

function optionsOf({ scope, filter, anyOf = [], attributes }: Search) {
  const all: Filter[] = [FilterParser.parseString(filter)];
  if (anyOf.length > 0)
    all.push(new OrFilter({ filters: anyOf.map(([attribute, value]) => new EqualityFilter({ attribute, value })) }));
  return {
    scope,
    filter: new AndFilter({ filters: all }),
    attributes: [...attributes],
    explicitBufferAttributes: [...attributes],
  };
}

function entryOf({ dn, ...rest }: { dn: string; [name: string]: Buffer | Buffer[] | string[] | string }): Entry {
  const values = new Map<string, Buffer[]>();
  for (const [name, value] of Object.entries(rest))
    values.set(
      name.toLowerCase(),
      [value].flat().map((each) => (typeof each === "string" ? Buffer.from(each) : each)),
    );
  return { dn, values };
}

/**
 * Does work with a directory, on the first of its servers that takes a connection.
 *
 * @throws Unreached where none can be asked; whatever the work throws
 */
export async function withDirectory<T>(
  directory: Directory,
  bounds: Bounds,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const until = performance.now() + bounds.timeoutMs;
  let failure: unknown;
  for (const url of directory.urls) {
    const leftMs = until - performance.now();
    if (leftMs <= 0) break;
    const wires = new Wires(bounds.maxBytes);
    const timer = setTimeout(() => wires.end(new Unreached("it does not answer in time")), leftMs);
    try {
      const client = await opened(directory, url, wires, Math.min(bounds.connectMs, leftMs)).catch((error: unknown) => {
        failure = reasonOf(wires.failure ?? error);
      });
      if (client)
        return await work(new Session(client)).catch((error: unknown) => {
          // A connection that ends has a plain error. What a directory answers, and what the work decides, has not.
          throw error instanceof Error && error.constructor === Error ? reasonOf(wires.failure ?? error) : error;
        });
    } finally {
      clearTimeout(timer);
      wires.end();
    }
  }
  throw failure;
}

/** The sockets of a connection. */
class Wires {
  failure: Error | undefined;
  #bytes = 0;
  readonly #sockets: Socket[] = [];

  constructor(private readonly maxBytes: number) {}

  add<S extends Socket>(socket: S): S {
    this.#sockets.push(socket);
    socket.on("data", (piece: Buffer) => {
      this.#bytes += piece.length;
      if (this.#bytes > this.maxBytes) this.end(new Unreached("it answers too much"));
    });
    return socket;
  }

  end(failure?: Error): void {
    this.failure ??= failure;
    for (const socket of this.#sockets) socket.destroy(failure);
  }
}

async function opened(directory: Directory, url: string, wires: Wires, timeoutMs: number): Promise<Client> {
  const { hostname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const trust: ConnectionOptions = { ...(directory.ca !== undefined && { ca: directory.ca }), minVersion: "TLSv1.2" };
  const timer = setTimeout(() => wires.end(new Unreached("it does not answer in time")), timeoutMs);
  const plain: Buffer[] = [];
  const client = new Client({
    url,
    ...(url.startsWith("ldaps:") && { tlsOptions: trust }),
    createConnection: ((port: number, name: string) => {
      const socket = wires.add(connectPlain(port, name));
      if (directory.isStartTls) socket.on("data", (piece: Buffer) => plain.push(piece));
      return socket;
    }) as typeof connectPlain,
    createSecureConnection: ((...args: Parameters<typeof connectTls>) => {
      // Whatever else came before TLS may be anybody's, and would be read as the directory's.
      if (directory.isStartTls && !isOneMessage(Buffer.concat(plain))) throw new Unreached("it is not trusted");
      return wires.add(connectTls(...args));
    }) as typeof connectTls,
  });
  try {
    if (directory.isStartTls) await client.startTLS({ ...trust, host, servername: isAddress(host) ? "" : host });
    // Any operation connects. This one costs nothing, and needs no rights.
    else await client.search("", { scope: "base", attributes: ["1.1"] }).catch(passResult);
    return client;
  } finally {
    clearTimeout(timer);
  }
}

const isAddress = (host: string): boolean => /^[\d.]+$|:/.test(host);

/** A directory that refuses has answered. */
function passResult(error: unknown): void {
  if (!(error instanceof ResultCodeError)) throw error;
}

/** What people are told of a failure. */
function reasonOf(error: unknown): Unreached {
  if (error instanceof Unreached) return error;
  const isOfTrust = /CERT|SIGNATURE|ERR_SSL|ERR_TLS/.test(codeOf(error) ?? "");
  return new Unreached(isOfTrust ? "its certificate is not trusted" : "it does not answer", { cause: error });
}
