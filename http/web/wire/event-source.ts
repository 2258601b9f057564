/**
 * How events come in. A transport is told where the queue is and hands over events in their order, each once; it says
 * when the connection is lost and found again, and ends when the queue is gone. The long poll is one; a stream would be
 * another.
 */
import type { WireEvent } from "../state/state.ts";
import { ApiError, call } from "./api.ts";

export interface Cursor {
  queueId: string;
  lastEventId: number;
}

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
/**
 * A poll is answered by a heartbeat after a minute at the latest. Without an answer for longer, the connection is dead.
 */
const pollPatienceMs = 90_000;

/**
 * `GET /events`, again and again. The cursor moves on as events are handed over, so nothing is missed or comes twice.
 */
export const longPoll: Transport = async (cursor, listener, signal) => {
  let failures = 0;
  while (!signal.aborted) {
    const request = new AbortController();
    const giveUp = () => request.abort();
    const patience = setTimeout(giveUp, pollPatienceMs);
    // A page that comes back from sleep, or to a network, asks anew at once: its connection may be dead without a word.
    const wake = () => {
      if (document.visibilityState === "visible" && failures > 0) giveUp();
    };
    signal.addEventListener("abort", giveUp);
    addEventListener("online", giveUp);
    addEventListener("offline", giveUp);
    document.addEventListener("visibilitychange", wake);
    try {
      const answer = await call<{ events: WireEvent[] }>(
        "GET",
        "/events",
        { queue_id: cursor.queueId, last_event_id: cursor.lastEventId, ...(failures > 0 && { dont_block: true }) },
        { signal: request.signal },
      );
      failures = 0;
      listener.onConnection(true);
      const fresh = answer.events.filter((event) => event.id > cursor.lastEventId);
      cursor.lastEventId = fresh.at(-1)?.id ?? cursor.lastEventId;
      if (fresh.length > 0) listener.onEvents(fresh);
    } catch (error) {
      if (signal.aborted) return "stopped";
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
