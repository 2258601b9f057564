/**
 * Loaded into the server under test before its own code (`node --import`): tells the bench what only the process itself
 * knows. It does nothing until asked, and does not keep the process alive.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { answer } from "./child.ts";

/** What `memory` answers: bytes, after two full collections. */
export interface Memory {
  heapUsed: number;
  external: number;
  residentSet: number;
}

/** Timer period of the event-loop watch, in ms; a pause shows as the lateness of a tick of this length. */
const watchPeriodMs = 1;
const nanosecondsPerMillisecond = 1e6;
let loopDelay: ReturnType<typeof monitorEventLoopDelay> | undefined;

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
  /** Begins to watch the event loop. The watch counts from its second tick: a pause before that would go unseen. */
  async watchLoop(): Promise<void> {
    loopDelay?.disable();
    loopDelay = monitorEventLoopDelay({ resolution: watchPeriodMs });
    loopDelay.enable();
    await sleep(5 * watchPeriodMs);
  },
  /** Longest pause of the event loop in ms since `watchLoop`, and ends the watch. */
  longestPauseMs(): number {
    if (loopDelay === undefined) throw new Error("the event loop is not being watched");
    loopDelay.disable();
    const longest = loopDelay.max / nanosecondsPerMillisecond - watchPeriodMs;
    loopDelay = undefined;
    return Math.max(0, longest);
  },
});
// A server under test does not outlive who tests it.
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();
