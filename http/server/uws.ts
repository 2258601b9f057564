import { createRequire } from "node:module";
import { type Headers, type MakeHeaderBlock, packedHeaders, separateHeaders } from "./header-block.ts";
import type { UwsModule } from "./uws-interface.ts";
import { createJavaScriptUws, maxHeadBytes } from "./uws-javascript.ts";

/** The build that was loaded. */
export interface LoadedUws {
  uws: UwsModule;
  flavour: "native" | "javascript";
  /** For how long a connection may idle, where the build does not say so by itself. */
  keepAlive: Headers;
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
 * Best first. Both are the same C++ server; they differ in what they were compiled for. `@btc-vision/uwebsockets.js`
 * 20.57: Node 20, 22, 24, 25, glibc 2.38 or newer. `uWebSockets.js` (here @trufflesuite/uws-js-unofficial 20.30): Node
 * 16, 18, 20, glibc 2.18 or newer. Its own entry file falls back to a twin in JavaScript that throws on queries, header
 * loops and addresses, so only its binaries are used. Source: the packages' files and the symbol versions that their
 * Linux binaries need.
 */
const nativeBuilds: readonly NativeBuild[] = [
  { packageName: "@btc-vision/uwebsockets.js", entry: () => "@btc-vision/uwebsockets.js" },
  { packageName: "uWebSockets.js", entry: (target) => `uWebSockets.js/binaries/uws_${target}.node` },
];

/**
 * The native builds end a connection that idles for ten seconds by a clock of four-second ticks: after eight at the
 * earliest, when nothing holds the loop up. Nobody can tell them another time. Source: uWebSockets src/HttpContext.h,
 * HTTP_IDLE_TIMEOUT_S; uSockets src/libusockets.h, LIBUS_TIMEOUT_GRANULARITY.
 */
const nativeKeepAlive: Headers = [["Keep-Alive", "timeout=7"]];

/**
 * Loads the best uWebSockets.js that this Node and C library can load: a native build, or the twin in
 * `uws-javascript.ts`. `only` skips the other kind, for tests and comparisons.
 * @throws Error with `only: "native"` when no native build loads
 */
export function loadUws(only?: "native" | "javascript"): LoadedUws {
  // Read by the newer native build when it loads. Without it a head of over 4 KiB that comes in several packets is cut
  // off, as
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
    keepAlive: [],
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
  uws._cfg?.("silent");
  return {
    uws,
    flavour: "native",
    keepAlive: nativeKeepAlive,
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
