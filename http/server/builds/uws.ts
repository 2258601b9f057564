import { createRequire } from "node:module";
import { maxHeadBytes } from "./connection.ts";
import { createJavaScriptUws } from "./javascript.ts";
import type { UwsModule } from "./uws-interface.ts";

/** The build that was loaded. */
export interface LoadedUws {
  uws: UwsModule;
  flavour: "native" | "javascript";
  /** Its package, version and binary, such as "@btc-vision/uwebsockets.js 20.57.0 (linux x64, Node ABI 137)". */
  build: string;
  /** Whether it takes all that clients may send. One that does not needs a proxy in front. */
  takesAll: boolean;
}

interface NativeBuild {
  packageName: string;
  /** What to require for this platform, architecture and Node ABI. */
  entry(target: string): string;
  /** Whether it takes all that clients may send: `test/http/server/demands.test.ts` compares. */
  takesAll: boolean;
}

/**
 * Best first. Both are the same C++ server; they differ in what they were compiled for. `@btc-vision/uwebsockets.js`
 * 20.57: Node 20, 22, 24, 25, glibc 2.38 or newer. `uWebSockets.js` (here @trufflesuite/uws-js-unofficial 20.30): Node
 * 16, 18, 20, glibc 2.18 or newer. Its own entry file falls back to a twin in JavaScript that throws on queries, header
 * loops and addresses, so only its binaries are used. Source: the packages' files and the symbol versions that their
 * Linux binaries need.
 */
const nativeBuilds: readonly NativeBuild[] = [
  { packageName: "@btc-vision/uwebsockets.js", entry: () => "@btc-vision/uwebsockets.js", takesAll: false },
  { packageName: "uWebSockets.js", entry: (target) => `uWebSockets.js/binaries/uws_${target}.node`, takesAll: false },
];

/** Which build is wanted: `auto` is the fastest that takes all that clients may send. */
export type WantedBuild = "auto" | "native" | "javascript";

/**
 * Loads a build of uWebSockets.js: a native one, or our own in JavaScript.
 *
 * @throws Error with "native" when none loads
 */
export function loadUws(wanted: WantedBuild): LoadedUws {
  // Read by the newer native build when it loads. Without it a head of over 4 KiB that comes in several packets is cut
  // off, as 20.30 always does. Clients put long narrows and id lists into the query.
  process.env["UWS_HTTP_MAX_HEADERS_SIZE"] ??= String(maxHeadBytes);
  const failures: string[] = [];
  for (const build of nativeBuilds) {
    if (wanted === "javascript" || (wanted === "auto" && !build.takesAll)) continue;
    try {
      return loadNative(build);
    } catch (error) {
      failures.push(`${build.packageName}: ${reason(error)}`);
    }
  }
  if (wanted === "native")
    throw new Error(`No native build of the HTTP server loads here: ${advice()} (${failures.join("; ")})`);
  return {
    uws: createJavaScriptUws(),
    flavour: "javascript",
    takesAll: true,
    build: `Parley's own (Node ${process.versions.node})`,
  };
}

function loadNative(build: NativeBuild): LoadedUws {
  const require = createRequire(import.meta.url);
  const uws: UwsModule = require(build.entry(`${process.platform}_${process.arch}_${process.versions.modules}`));
  uws._cfg?.("silent");
  return {
    uws,
    flavour: "native",
    takesAll: build.takesAll,
    build: `${build.packageName} ${versionOf(build, require)} (${hostName()})`,
  };
}

/** The version from the package's own package.json, which `exports` may hide from a plain require. */
function versionOf({ packageName }: NativeBuild, require: NodeJS.Require): string {
  for (const folder of require.resolve.paths(packageName) ?? []) {
    try {
      const { version }: { version: string } = require(`${folder}/${packageName}/package.json`);
      return version;
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
  const report: { header?: { glibcVersionRuntime?: string } } = process.report.getReport();
  return report.header?.glibcVersionRuntime;
}

/** The line that tells: the C library's or the module resolver's own words, without the packages' preamble. */
function reason(error: unknown): string {
  const lines = String(error instanceof Error ? error.message : error).split("\n");
  const line = lines.find((text) => text.startsWith("Error: ")) ?? lines[0] ?? "";
  return line.replace(/^Error: /, "").slice(0, 200);
}
