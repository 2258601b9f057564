/**
 * Follows an organization. It registers a queue, which fetches the state, and hands on the queue's events. When the
 * queue is gone (after a long sleep), or an event does not fit the state, it registers anew.
 *
 *     register ─► onState ─► onEvents … ─► queue gone, or onEvents threw ─► register …
 */
import type { ClientEvent } from "../events.ts";
import { backOffMs, pause } from "../pause.ts";
import { type Access, ApiError } from "../request.ts";
import type { RegisterState } from "../state/state.ts";
import { eventSource, type Listener, type Transport } from "./event-source.ts";

export interface FollowingOptions {
  readonly access: Access;
  /** Fetches the state. @throws ApiError; 401 or 403 when nobody is logged in */
  register(): Promise<RegisterState>;
  /** The state has been fetched, for the first time or again. What was built on the one before is to be fetched too. */
  onState(state: RegisterState, isFirst: boolean): void;
  /** New events, each once, in order. If it throws, the state is fetched again. */
  onEvents(events: readonly ClientEvent[]): void;
  /** Whether the server answers. `error` is why it did not register. */
  onConnection?(isConnected: boolean, retryAtMs?: number, error?: ApiError): void;
  /** Events that arrive within this time are handed on together. 0 unless told. */
  readonly gatherMs?: number;
  readonly transport?: Transport;
}

/** Why following ended. Spectators have no queue, and see the state as it was fetched. */
export type FollowingEnd = "logged out" | "stopped" | "no queue";

/** If taking events takes long, the next ones wait this many times as long, so that a page stays responsive. */
const restPerWork = 8;
const firstRetryMs = 1000;
const maxRetryMs = 30_000;

export class Following {
  #queueId = "";
  readonly #stop = new AbortController();

  constructor(private readonly options: FollowingOptions) {}

  /** Sends name the queue, so that its events tell which messages are their own. "" before the first state. */
  get queueId(): string {
    return this.#queueId;
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Runs until it is stopped, or the account is logged out. */
  async run(): Promise<FollowingEnd> {
    for (let isFirst = true; ; isFirst = false) {
      const state = await this.#register();
      if (typeof state === "string") return state;
      this.#forget();
      this.#queueId = state.queue_id ?? "";
      this.options.onState(state, isFirst);
      if (!state.queue_id) return "no queue";
      const ending = await this.#followQueue(state.queue_id, state.last_event_id ?? -1);
      if (ending === "logged out") return ending;
      if (this.#stop.signal.aborted) return "stopped";
    }
  }

  #restart = (): void => {};
  #pause: Promise<void> | undefined;

  /** Asks for no events while an action is under way: one that ends the log-in would have them refused. */
  pauseWhile(action: () => Promise<void>): void {
    this.#pause = action();
    this.#restart();
  }

  async #followQueue(queueId: string, lastEventId: number): Promise<"logged out" | "queue gone" | "stopped"> {
    const { access, transport = eventSource } = this.options;
    const cursor = { queueId, lastEventId };
    for (;;) {
      const ended = new AbortController();
      const stop = () => ended.abort();
      this.#stop.signal.addEventListener("abort", stop);
      if (this.#stop.signal.aborted) stop();
      this.#restart = stop;
      const listener: Listener = {
        onEvents: (events) => {
          if (!ended.signal.aborted) this.#receive(events);
        },
        onConnection: (isConnected, retryAtMs) => this.options.onConnection?.(isConnected, retryAtMs),
      };
      const ending = await transport(access, cursor, listener, ended.signal);
      this.#stop.signal.removeEventListener("abort", stop);
      if (!this.#pause) return ending;
      await this.#pause;
      this.#pause = undefined;
    }
  }

  /** Registers a queue, and retries until it succeeds. */
  async #register(): Promise<RegisterState | "logged out" | "stopped"> {
    for (let failures = 0; ; failures++) {
      if (this.#stop.signal.aborted) return "stopped";
      try {
        return await this.options.register();
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.status === 401 || error.status === 403) return "logged out";
        const delayMs = Math.max((error.retryAfterSecs ?? 0) * 1000, backOffMs(failures, firstRetryMs, maxRetryMs));
        this.options.onConnection?.(false, Date.now() + delayMs, error);
        await pause(delayMs, this.#stop.signal);
      }
    }
  }

  #waiting: ClientEvent[] = [];
  #gathering: ReturnType<typeof setTimeout> | undefined;
  #nextAt = Number.NEGATIVE_INFINITY;

  #receive(events: readonly ClientEvent[]): void {
    this.#waiting.push(...events);
    if (this.#gathering !== undefined) return;
    const waitMs = this.#nextAt - performance.now();
    if (waitMs <= 0) this.#handOn();
    else this.#gathering = setTimeout(() => this.#handOn(), waitMs);
  }

  /** Drops events that were not handed on: the next state contains them. */
  #forget(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#waiting = [];
  }

  #handOn(): void {
    const events = this.#waiting;
    const { gatherMs = 0 } = this.options;
    this.#forget();
    const begunAt = performance.now();
    if (gatherMs > 0) {
      this.#nextAt = begunAt + gatherMs;
      // Views are drawn before the next task, so this measures drawing too.
      setTimeout(() => {
        this.#nextAt = Math.max(this.#nextAt, begunAt + restPerWork * (performance.now() - begunAt));
      });
    }
    try {
      this.options.onEvents(events);
    } catch (error) {
      // An event does not fit the state. Everything is fetched again, and the console has the reason.
      console.warn("The state is fetched again.", error);
      this.#restart();
    }
  }
}
