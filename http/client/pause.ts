/** Waits between attempts. */

/** What a browser tells a page. Node has nothing of it. */
export const surroundings: EventTarget | undefined = "addEventListener" in globalThis ? globalThis : undefined;

/** A page dispatches it at `globalThis` so that whatever waits for the server tries at once. */
export const RETRY = "parley:retry";

/** Waits, but ends early when the network or the server is back, or the person asks for a retry. */
export function pause(delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      surroundings?.removeEventListener("online", end);
      surroundings?.removeEventListener(RETRY, end);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, delayMs);
    surroundings?.addEventListener("online", end);
    surroundings?.addEventListener(RETRY, end);
    signal?.addEventListener("abort", end);
    if (signal?.aborted) end();
  });
}

/** How long to wait after so many failures. It is doubled each time, and differs between clients. */
export const backOffMs = (failures: number, firstMs: number, maxMs: number): number =>
  Math.min(maxMs, firstMs * 2 ** failures) * (0.75 + Math.random() / 2);
