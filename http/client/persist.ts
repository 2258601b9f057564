/** Repeats requests while the server does not answer. */

import { pause } from "./pause.ts";
import { ApiError } from "./request.ts";

const firstRetryMs = 1000;
const maxRetryMs = 20_000;

interface Options {
  /** Ends it. */
  signal?: AbortSignal;
  /** Called before each wait. */
  onWaiting?(): void;
}

/**
 * Repeats a request until the server answers it. Only for requests that do no harm when they are done twice.
 * @throws ApiError when the server refuses, or after the signal
 */
export async function persist<T>(ask: () => Promise<T>, { signal, onWaiting }: Options = {}): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ApiError) || !error.isPassing) throw error;
      onWaiting?.();
      const askedMs = (error.retryAfterSecs ?? 0) * 1000;
      await pause(Math.max(askedMs, Math.min(maxRetryMs, firstRetryMs * 2 ** failures)), signal);
      if (signal?.aborted) throw error;
    }
  }
}

/**
 * The same for a request that would store a thing again: after an answer that did not come, `isStored` looks for it.
 * @throws ApiError when the server refuses, or after the signal
 */
export async function storeOnce(
  store: () => Promise<unknown>,
  isStored: () => Promise<boolean>,
  options: Options = {},
): Promise<void> {
  let isUnsure = false;
  await persist(async () => {
    if (isUnsure && (await isStored())) return;
    isUnsure = true;
    await store();
  }, options);
}
