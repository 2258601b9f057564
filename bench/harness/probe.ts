/**
 * Loaded into the server under test before its own code (`node --import`): tells the bench what only the process itself
 * knows. It does nothing until asked, and does not keep the process alive.
 */
import { answer } from "./child.ts";
import { type Pause, PauseWatch } from "./pause-watch.ts";

/** What `memory` answers: bytes, after two full collections. */
export interface Memory {
  heapUsed: number;
  external: number;
  residentSet: number;
}

let watch: PauseWatch | undefined;

answer({
  memory(): Memory {
    const collect = globalThis.gc;
    if (collect === undefined) throw new Error("the server was started without --expose-gc");
    // The second run collects what finalizers of the first let go.
    collect();
    collect();
    const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage();
    return { heapUsed, external: external + arrayBuffers, residentSet: rss };
  },
  /** Node and the C library that it runs on. */
  system(): string {
    const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
    return `Node ${process.versions.node}, glibc ${header.glibcVersionRuntime ?? "none"}`;
  },
  /** Begins to watch the event loop. */
  watchLoop(): void {
    watch?.end();
    watch = new PauseWatch();
  },
  /** The longest pause of the event loop since `watchLoop`, and ends the watch. */
  longestPause(): Pause {
    if (watch === undefined) throw new Error("the event loop is not being watched");
    const longest = watch.end();
    watch = undefined;
    return longest;
  },
});
// A server under test does not outlive who tests it.
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();
