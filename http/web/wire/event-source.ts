/**
 * How events come in. A transport is told where the queue is and hands over events in their order, each once; it says
 * when the connection is lost and found again, and ends when the queue is gone.
 */
import type { WireEvent } from "../state/state.ts";
import { ApiError } from "./api.ts";
import type { Cursor } from "./attempt.ts";
import { pause } from "./pause.ts";
import { poll } from "./poll.ts";
import { isSwallowed, read } from "./stream.ts";

export interface Listener {
  onEvents(events: readonly WireEvent[]): void;
  /** Whether the server answers. `retryAtMs` is when it is tried again. */
  onConnection(isConnected: boolean, retryAtMs?: number): void;
}

/** Why a transport ended: its queue is not known any more, or the person is not logged in any more. */
export type Ending = "queue gone" | "logged out" | "stopped";

export type Transport = (cursor: Cursor, listener: Listener, signal: AbortSignal) => Promise<Ending>;

const firstRetryMs = 500;
const maxRetryMs = 30_000;
/** Something comes after a minute at the latest. When nothing does for longer, the connection is dead. */
const patienceMs = 90_000;

/**
 * `GET /events`, again and again: a stream, or where a proxy keeps streams for itself the long poll. The cursor moves
 * on as events are handed over, so nothing is missed or comes twice.
 */
export const eventSource: Transport = async (cursor, listener, signal) => {
  let failures = 0;
  let request = read;
  while (!signal.aborted) {
    const abort = new AbortController();
    const giveUp = () => abort.abort();
    let patience = setTimeout(giveUp, patienceMs);
    // A page that comes back from sleep, or to a network, asks anew at once: its connection may be dead without a word.
    const wake = () => {
      if (document.visibilityState === "visible" && failures > 0) giveUp();
    };
    signal.addEventListener("abort", giveUp);
    addEventListener("online", giveUp);
    addEventListener("offline", giveUp);
    document.addEventListener("visibilitychange", wake);
    try {
      await request(cursor, {
        signal: abort.signal,
        isRetry: failures > 0,
        alive() {
          clearTimeout(patience);
          patience = setTimeout(giveUp, patienceMs);
          failures = 0;
          listener.onConnection(true);
        },
        take(events) {
          const fresh = events.filter((event) => event.id > cursor.lastEventId);
          cursor.lastEventId = fresh.at(-1)?.id ?? cursor.lastEventId;
          if (fresh.length > 0) listener.onEvents(fresh);
        },
      });
    } catch (error) {
      if (signal.aborted) return "stopped";
      if (isSwallowed(error)) {
        request = poll;
        continue;
      }
      if (error instanceof ApiError && error.code === "BAD_EVENT_QUEUE_ID") return "queue gone";
      if (error instanceof ApiError && error.status === 401) return "logged out";
      const asked = error instanceof ApiError && error.retryAfterSecs ? error.retryAfterSecs * 1000 : 0;
      const delayMs = Math.max(asked, Math.min(maxRetryMs, firstRetryMs * 2 ** failures) * (0.75 + Math.random() / 2));
      failures++;
      listener.onConnection(false, Date.now() + delayMs);
      await pause(delayMs, signal);
    } finally {
      clearTimeout(patience);
      signal.removeEventListener("abort", giveUp);
      removeEventListener("online", giveUp);
      removeEventListener("offline", giveUp);
      document.removeEventListener("visibilitychange", wake);
    }
  }
  return "stopped";
};
