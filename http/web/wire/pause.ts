/** Waits, but ends early when the network or the server is back, or the person asks for a retry. */
export function pause(delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      removeEventListener("parley:retry", end);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, delayMs);
    addEventListener("online", end);
    addEventListener("parley:retry", end);
    signal?.addEventListener("abort", end);
  });
}
