/** How long the event loop of this process was held up: by the server of a test, which runs here too. */
import { setImmediate as nextTick } from "node:timers/promises";

/**
 * Milliseconds of processor time of the longest uninterrupted piece of work while `act` runs. Processor time, since another
 * process that takes the core holds up nobody here; whatever `act` itself does at once counts too, so it must do little.
 */
async function longestPieceMs(act: () => Promise<unknown>): Promise<number> {
  let isDone = false;
  let longest = 0;
  const acting = act().finally(() => {
    isDone = true;
  });
  let before = process.cpuUsage();
  while (!isDone) {
    await nextTick();
    const now = process.cpuUsage();
    longest = Math.max(longest, now.user + now.system - before.user - before.system);
    before = now;
  }
  await acting;
  return longest / 1000;
}

/** The promise of the README. */
const longestStallMs = 100;
const attempts = 4;

/**
 * Runs `act`, which may be repeated, and throws when it holds up the event loop each time. Once is forgiven: code that runs
 * for the first time is compiled, and garbage is collected when it likes.
 */
export async function assertNoStall(what: string, act: () => Promise<unknown>): Promise<void> {
  const seen: number[] = [];
  while (seen.length < attempts) {
    const ms = await longestPieceMs(act);
    if (ms < longestStallMs) return;
    seen.push(Math.round(ms));
  }
  throw new Error(`${what}: the event loop was held up for ${seen.join(", ")} ms`);
}
