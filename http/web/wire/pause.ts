/** Waits, but not while the person is looking for a connection that has just come back. */
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
