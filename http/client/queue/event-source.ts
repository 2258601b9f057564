/**
 * Receives events. A transport starts at a position in a queue, and delivers each event once, in order. It reports when
 * the connection is lost and restored, and ends when the queue is gone.
 */
import type { ClientEvent } from "../events.ts";
import { backOffMs, pause, surroundings } from "../pause.ts";
import { type Access, ApiError } from "../request.ts";
import type { Cursor } from "./attempt.ts";
import { poll } from "./poll.ts";
import { isSwallowed, read } from "./stream.ts";

export interface Listener {
  onEvents(events: readonly ClientEvent[]): void;
  /** Whether the server answers. `retryAtMs` is the time of the next attempt. */
  onConnection(isConnected: boolean, retryAtMs?: number): void;
}

/** Why a transport ended: the queue is unknown to the server, or the person is no longer logged in. */
export type Ending = "queue gone" | "logged out" | "stopped";

export type Transport = (access: Access, cursor: Cursor, listener: Listener, signal: AbortSignal) => Promise<Ending>;

const firstRetryMs = 500;
const maxRetryMs = 30_000;
/** The server sends something at least once a minute. After a longer silence the connection is dead. */
const patienceMs = 90_000;

/**
 * Requests `GET /events` repeatedly, as a stream. Where a proxy holds streams back, it uses long polls. The cursor
 * advances as events are delivered, so none is missed or repeated.
 */
export const eventSource: Transport = async (access, cursor, listener, signal) => {
  let failures = 0;
  let ask = read;
  while (!signal.aborted) {
    const attempt = new Interruptible(signal, () => failures > 0);
    try {
      await ask(access, cursor, {
        signal: attempt.signal,
        isRetry: failures > 0,
        alive() {
          attempt.isHeard();
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
        ask = poll;
        continue;
      }
      const ending = endingOf(error);
      if (ending) return ending;
      const askedMs = error instanceof ApiError && error.retryAfterSecs ? error.retryAfterSecs * 1000 : 0;
      const delayMs = Math.max(askedMs, backOffMs(failures, firstRetryMs, maxRetryMs));
      failures++;
      listener.onConnection(false, Date.now() + delayMs);
      await pause(delayMs, signal);
    } finally {
      attempt.end();
    }
  }
  return "stopped";
};

function endingOf(error: unknown): Ending | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.code === "BAD_EVENT_QUEUE_ID") return "queue gone";
  return error.status === 401 ? "logged out" : undefined;
}

/**
 * The signal of one attempt, given up after a long silence. After sleep, or when the network is back, the connection
 * may be dead without an error, so it is given up then too.
 */
class Interruptible {
  readonly #abort = new AbortController();
  #patience: ReturnType<typeof setTimeout>;

  constructor(
    private readonly outer: AbortSignal,
    private readonly hasFailed: () => boolean,
  ) {
    this.#patience = setTimeout(this.#giveUp, patienceMs);
    outer.addEventListener("abort", this.#giveUp);
    for (const name of ["online", "offline"]) surroundings?.addEventListener(name, this.#giveUp);
    shownDocument?.addEventListener("visibilitychange", this.#wake);
    if (outer.aborted) this.#giveUp();
  }

  readonly #giveUp = (): void => this.#abort.abort();

  readonly #wake = (): void => {
    if (shownDocument?.visibilityState === "visible" && this.hasFailed()) this.#giveUp();
  };

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  isHeard(): void {
    clearTimeout(this.#patience);
    this.#patience = setTimeout(this.#giveUp, patienceMs);
  }

  end(): void {
    clearTimeout(this.#patience);
    this.outer.removeEventListener("abort", this.#giveUp);
    for (const name of ["online", "offline"]) surroundings?.removeEventListener(name, this.#giveUp);
    shownDocument?.removeEventListener("visibilitychange", this.#wake);
  }
}

/** The page's document, in a browser. */
const shownDocument = (globalThis as { document?: EventTarget & { visibilityState: string } }).document;
