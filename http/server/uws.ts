import { createRequire } from "node:module";
import { type MakeHeaderBlock, packedHeaders, separateHeaders } from "./header-block.ts";
import { createJavaScriptUws, maxHeadBytes } from "./uws-javascript.ts";

/** What uWebSockets.js takes as text or bytes. */
export type RecognizedString = string | ArrayBuffer | Uint8Array;

declare const listenSocketBrand: unique symbol;
/** A listening socket. Opaque: pass it to `us_listen_socket_close` once, and to nothing after that. */
export interface us_listen_socket {
  readonly [listenSocketBrand]: true;
}

/** One request. Valid only until its handler returns or first awaits: read what you need before that. */
export interface HttpRequest {
  /** The first header of that lower-case name, or "". */
  getHeader(lowerCaseKey: string): string;
  /** The part of the path that the route's `:name` or number `index` matched, still percent-encoded. */
  getParameter(index: number): string | undefined;
  /** The path as sent: percent-encoded, without the query. */
  getUrl(): string;
  /** The method, in lower case. */
  getMethod(): string;
  /** The query as sent, without "?"; "" or `undefined` when there is none (the builds differ). */
  getQuery(): string | undefined;
  /** Every header in the order sent, names in lower case. */
  forEach(visit: (key: string, value: string) => void): void;
  /** `true` says that this handler leaves the request to the next route that matches. */
  setYield(isYielding: boolean): HttpRequest;
}

/**
 * The one reply to a request. Every method throws once the reply was ended or the client went away.
 * A handler that does not end it before returning must have called `onAborted`.
 */
export interface HttpResponse {
  /** Such as "200 OK". First of all calls, or never. */
  writeStatus(status: RecognizedString): HttpResponse;
  writeHeader(key: RecognizedString, value: RecognizedString): HttpResponse;
  /** Sends a piece in chunked encoding. `false` says that it waits in memory for a slow client. */
  write(chunk: RecognizedString): boolean;
  end(body?: RecognizedString, closeConnection?: boolean): HttpResponse;
  /**
   * Ends without a body: HEAD (write its Content-Length as a header), 204, 304. Its arguments are left out: 20.30 takes a length
   * for a promise to send that many bytes, and ends the process when the handler returns without them.
   */
  endWithoutBody(): HttpResponse;
  /** Sends one piece of a body of `totalSize` bytes. @returns [all was taken, the reply is complete] */
  tryEnd(bodyOrChunk: RecognizedString, totalSize: number): [boolean, boolean];
  /** Bytes of the body taken so far by `write` and `tryEnd`. */
  getWriteOffset(): number;
  /** Called when a slow client has caught up; return `true` if what was tried there went out. */
  onWritable(handler: (offset: number) => boolean): HttpResponse;
  /** Called at most once, when the client goes away before the reply was ended. */
  onAborted(handler: () => void): HttpResponse;
  /** The request's body, piece by piece, `isLast` exactly once. The bytes are gone when `handler` returns: copy them. */
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): HttpResponse;
  /** The peer's address as ASCII text. */
  getRemoteAddressAsText(): ArrayBuffer;
  /** Packs what `write` calls inside into one system call. Needed anywhere but in the handler's first, synchronous part. */
  cork(write: () => void): HttpResponse;
  /** Drops the connection at once; `onAborted` runs. */
  close(): HttpResponse;
  pause(): void;
  resume(): void;
}

/** Handles a request that a route matched. */
export type RouteHandler = (res: HttpResponse, req: HttpRequest) => void;

/**
 * An HTTP server. Among routes of one kind a fixed path wins over `:name`, that over `*`. Use either `any` or routes of one method
 * for a path: which of the two wins when both match differs between builds.
 */
export interface TemplatedApp {
  get(pattern: string, handler: RouteHandler): TemplatedApp;
  post(pattern: string, handler: RouteHandler): TemplatedApp;
  put(pattern: string, handler: RouteHandler): TemplatedApp;
  patch(pattern: string, handler: RouteHandler): TemplatedApp;
  del(pattern: string, handler: RouteHandler): TemplatedApp;
  head(pattern: string, handler: RouteHandler): TemplatedApp;
  options(pattern: string, handler: RouteHandler): TemplatedApp;
  any(pattern: string, handler: RouteHandler): TemplatedApp;
  /**
   * Listens; port 0 takes a free one. `listened` gets `false` when that failed. The native builds call it before `listen`
   * returns, the JavaScript twin later. With `options` 0 several processes may share the port (SO_REUSEPORT); with
   * `LIBUS_LISTEN_EXCLUSIVE_PORT` a port in use is a failure.
   */
  listen(
    host: string,
    port: number,
    options: number,
    listened: (listenSocket: us_listen_socket | false) => void,
  ): TemplatedApp;
}

/** The part of uWebSockets.js that every build of it has in common, and Parley uses. */
export interface UwsModule {
  App(): TemplatedApp;
  /** Accepts no further connection; those open live on. */
  us_listen_socket_close(listenSocket: us_listen_socket): void;
  us_socket_local_port(listenSocket: us_listen_socket): number;
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
}

/** The build that was loaded. */
export interface LoadedUws {
  uws: UwsModule;
  flavour: "native" | "javascript";
  /** Prepares headers that always go together. */
  headerBlock: MakeHeaderBlock;
  /** Its package, version and binary, such as "@btc-vision/uwebsockets.js 20.57.0 (linux x64, Node ABI 137)". */
  build: string;
  /** One sentence for the log that says why the twin runs and what to do about it. Only with "javascript". */
  warning?: string;
}

interface NativeBuild {
  packageName: string;
  /** What to require for this platform, architecture and Node ABI. */
  entry(target: string): string;
}

/**
 * Best first. Both are the same C++ server; they differ in what they were compiled for.
 * `@btc-vision/uwebsockets.js` 20.57: Node 20, 22, 24, 25, glibc 2.38 or newer.
 * `uWebSockets.js` (here @trufflesuite/uws-js-unofficial 20.30): Node 16, 18, 20, glibc 2.18 or newer. Its own entry file falls
 * back to a twin in JavaScript that throws on queries, header loops and addresses, so only its binaries are used.
 * Source: the packages' files and the symbol versions that their Linux binaries need.
 */
const nativeBuilds: readonly NativeBuild[] = [
  { packageName: "@btc-vision/uwebsockets.js", entry: () => "@btc-vision/uwebsockets.js" },
  { packageName: "uWebSockets.js", entry: (target) => `uWebSockets.js/binaries/uws_${target}.node` },
];

/**
 * Loads the best uWebSockets.js that this Node and C library can load: a native build, or the twin in `uws-javascript.ts`.
 * `only` skips the other kind, for tests and comparisons.
 * @throws Error with `only: "native"` when no native build loads
 */
export function loadUws(only?: "native" | "javascript"): LoadedUws {
  // Read by the newer native build when it loads. Without it a head of over 4 KiB that comes in several packets is cut off, as
  // 20.30 always does: clients put long narrows and id lists into the query.
  process.env["UWS_HTTP_MAX_HEADERS_SIZE"] ??= String(maxHeadBytes);
  const failures: string[] = [];
  if (only !== "javascript") {
    for (const build of nativeBuilds) {
      try {
        return loadNative(build);
      } catch (error) {
        failures.push(`${build.packageName}: ${reason(error)}`);
      }
    }
    if (only === "native") throw new Error(`no native uWebSockets.js loads: ${failures.join("; ")}`);
  }
  return {
    uws: createJavaScriptUws(),
    flavour: "javascript",
    headerBlock: separateHeaders,
    build: `Parley's twin on node:http (Node ${process.versions.node})`,
    warning:
      only === "javascript"
        ? "The slow JavaScript twin of the HTTP server serves, as PARLEY_HTTP_BUILD says."
        : `No native uWebSockets.js loads here, so its slow JavaScript twin serves: ${advice()} (${failures.join("; ")})`,
  };
}

function loadNative(build: NativeBuild): LoadedUws {
  const require = createRequire(import.meta.url);
  const uws = require(build.entry(`${process.platform}_${process.arch}_${process.versions.modules}`)) as UwsModule;
  return {
    uws,
    flavour: "native",
    headerBlock: packedHeaders,
    build: `${build.packageName} ${versionOf(build, require)} (${hostName()})`,
  };
}

/** The version from the package's own package.json, which `exports` may hide from a plain require. */
function versionOf({ packageName }: NativeBuild, require: NodeJS.Require): string {
  for (const folder of require.resolve.paths(packageName) ?? []) {
    try {
      return (require(`${folder}/${packageName}/package.json`) as { version: string }).version;
    } catch {
      // Not in this node_modules; an outer one has it.
    }
  }
  return "of unknown version";
}

function hostName(): string {
  return `${process.platform} ${process.arch}, Node ABI ${process.versions.modules}`;
}

/** What would make a native build load, judged by what is wrong here. */
function advice(): string {
  const node = `Node ${process.versions.node}`;
  if (process.platform !== "linux")
    return `on ${process.platform} ${process.arch}, run Node 20, 22 or 24 instead of ${node}.`;
  const glibc = glibcVersion();
  if (glibc === undefined) return "use a Linux with glibc instead of musl, such as Debian or Ubuntu.";
  if (process.arch !== "x64" && process.arch !== "arm64")
    return `the builds are for x64 and arm64, not ${process.arch}.`;
  return `with glibc ${glibc} use Node 20 instead of ${node}, or move to a system with glibc 2.38 or newer (Debian 13, Ubuntu 24.04).`;
}

/** The C library's version, or `undefined` where it is not glibc. */
function glibcVersion(): string | undefined {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return report.header?.glibcVersionRuntime;
}

/** The line that tells: the C library's or the module resolver's own words, without the packages' preamble. */
function reason(error: unknown): string {
  const lines = String(error instanceof Error ? error.message : error).split("\n");
  const line = lines.find((text) => text.startsWith("Error: ")) ?? lines[0] ?? "";
  return line.replace(/^Error: /, "").slice(0, 200);
}
