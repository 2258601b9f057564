/**
 * Receives events. A transport starts at a position in a queue, and delivers each event once, in order. It reports when
 * the connection is lost and restored, and ends when the queue is gone.
 */
import { ApiError } from "./api.ts";
import type { Cursor } from "./attempt.ts";
import type { PageEvent } from "./events.ts";
import { pause } from "./pause.ts";
import { poll } from "./poll.ts";
import { isSwallowed, read } from "./stream.ts";

export interface Listener {
  onEvents(events: readonly PageEvent[]): void;
  /** Whether the server answers. `retryAtMs` is the time of the next attempt. */
  onConnection(isConnected: boolean, retryAtMs?: number): void;
}

/** Why a transport ended: the queue is unknown to the server, or the person is no longer logged in. */
export type Ending = "queue gone" | "logged out" | "stopped";

export type Transport = (cursor: Cursor, listener: Listener, signal: AbortSignal) => Promise<Ending>;

const firstRetryMs = 500;
const maxRetryMs = 30_000;
/** The server sends something at least once a minute. After a longer silence the connection is dead. */
const patienceMs = 90_000;

/**
 * Requests `GET /events` repeatedly, as a stream. Where a proxy holds streams back, it uses long polls. The cursor
 * advances as events are delivered, so none is missed or repeated.
 */
export const eventSource: Transport = async (cursor, listener, signal) => {
  let failures = 0;
  let request = read;
  while (!signal.aborted) {
    const abort = new AbortController();
    const giveUp = () => abort.abort();
    let patience = setTimeout(giveUp, patienceMs);
    // After sleep, or when the network is back, the connection may be dead without an error. So the request is repeated
    // at once.
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
