/**
 * The connection to the server: registers a queue, fetches the state it continues, and folds in what it brings. When
 * the queue is gone (after a long sleep, say) it begins anew, and everything that is shown is fetched again.
 */
import { batch, type Signal, signal } from "@preact/signals";
import { registerParams } from "../state/client-profile.ts";
import type { RegisterState, WireEvent } from "../state/state.ts";
import { ApiError, call, isPerhapsLoggedIn } from "../wire/api.ts";
import type { Transport } from "../wire/event-source.ts";
import { pause } from "../wire/pause.ts";
import type { Store } from "./store.ts";

export type Connection =
  | { state: "starting" }
  | { state: "online" }
  | { state: "offline"; retryAtMs: number }
  | { state: "logged out" }
  /** The server was replaced by a newer one: a reload brings its page. */
  | { state: "outdated" };

export interface SessionEvents {
  /** The state is there, for the first time or anew. */
  onState(isFirst: boolean): void;
  /** In their order; the store has them already. */
  onEvents(events: readonly WireEvent[]): void;
}

/** Events that come faster than this are applied together: what is shown is drawn once for all of them. */
const gatherMs = 100;
/** Where applying them takes long, they are gathered for longer: so much of the time stays free for the person. */
const restPerWork = 8;
const firstRetryMs = 1000;
const maxRetryMs = 30_000;

export class Session {
  readonly connection: Signal<Connection> = signal({ state: "starting" });
  readonly error: Signal<string> = signal("");
  #queueId = "";
  readonly #stop = new AbortController();

  constructor(
    private readonly store: Store,
    private readonly transport: Transport,
    private readonly events: SessionEvents,
  ) {}

  /** Names the queue in what is sent, so that it is told which message was its own. */
  get queueId(): string {
    return this.#queueId;
  }

  get isLoggedIn(): boolean {
    return this.store.state.user_id !== undefined;
  }

  /** Lasts as long as the page. */
  async run(): Promise<void> {
    for (let isFirst = true; !this.#stop.signal.aborted; isFirst = false) {
      const state = await this.#register();
      if (!state) return;
      this.#forget();
      this.#queueId = state.queue_id ?? "";
      this.store.replace(state);
      this.connection.value = { state: "online" };
      this.events.onState(isFirst);
      // Who is not logged in has no queue: they see what was there when they came.
      if (!state.queue_id) return;
      const cursor = { queueId: state.queue_id, lastEventId: state.last_event_id ?? -1 };
      const listener = {
        onEvents: (events: readonly WireEvent[]) => this.#receive(events),
        onConnection: (isConnected: boolean, retryAtMs = 0) => this.#connected(isConnected, retryAtMs),
      };
      const ended = new AbortController();
      this.#stop.signal.addEventListener("abort", () => ended.abort());
      this.#restart = () => ended.abort();
      const ending = await this.transport(cursor, listener, ended.signal);
      if (ending === "logged out") {
        this.connection.value = { state: "logged out" };
        return;
      }
    }
  }

  #restart = (): void => {};

  /** Registers a queue, however long that takes. Undefined when nobody is logged in. */
  async #register(): Promise<RegisterState | undefined> {
    let isSpectator = !isPerhapsLoggedIn();
    for (let failures = 0; ; failures++) {
      try {
        if (isSpectator) return await this.#registerAsSpectator();
        return await call<RegisterState>("POST", "/register", registerParams(this.store.profile));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        // The log-in that this browser had is over.
        if (!isSpectator && error.code === "BAD_REQUEST" && /anonymous/.test(error.message)) {
          isSpectator = true;
          continue;
        }
        if (error.status === 401 || error.status === 403) {
          this.connection.value = { state: "logged out" };
          return undefined;
        }
        this.error.value = error.message;
        const delayMs = Math.min(maxRetryMs, firstRetryMs * 2 ** failures) * (0.75 + Math.random() / 2);
        this.connection.value = { state: "offline", retryAtMs: Date.now() + delayMs };
        await pause(delayMs, this.#stop.signal);
      }
    }
  }

  /** Undefined where only members are let in. @throws ApiError when the server does not answer */
  async #registerAsSpectator(): Promise<RegisterState | undefined> {
    const settings = await call<{ realm_web_public_access_enabled?: boolean }>("GET", "/server_settings");
    if (!settings.realm_web_public_access_enabled) {
      this.connection.value = { state: "logged out" };
      return undefined;
    }
    const params = { ...registerParams(this.store.profile), client_gravatar: false, include_subscribers: "false" };
    return call<RegisterState>("POST", "/register", params);
  }

  #waiting: WireEvent[] = [];
  #gathering: ReturnType<typeof setTimeout> | undefined;
  #nextAt = Number.NEGATIVE_INFINITY;

  #receive(events: readonly WireEvent[]): void {
    this.#waiting.push(...events);
    if (this.#gathering !== undefined) return;
    const waitMs = this.#nextAt - performance.now();
    if (waitMs <= 0) this.#apply();
    else this.#gathering = setTimeout(() => this.#apply(), waitMs);
  }

  /** What has not been applied is in the state that is fetched next. */
  #forget(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#waiting = [];
  }

  #apply(): void {
    const events = this.#waiting;
    this.#forget();
    const begunAt = performance.now();
    this.#nextAt = begunAt + gatherMs;
    // Views are drawn before the next task: that is part of the work.
    setTimeout(() => {
      this.#nextAt = Math.max(this.#nextAt, begunAt + restPerWork * (performance.now() - begunAt));
    });
    try {
      batch(() => {
        this.store.apply(events);
        this.events.onEvents(events);
      });
    } catch (error) {
      // What was shown does not fit what comes: everything is fetched again, and the console says why.
      console.warn("The state is fetched again.", error);
      this.#restart();
      return;
    }
    if (events.some(({ type }) => type === "restart" || type === "web_reload_client"))
      this.connection.value = { state: "outdated" };
  }

  #connected(isConnected: boolean, retryAtMs: number): void {
    const { state } = this.connection.peek();
    if (isConnected && state !== "outdated" && state !== "online") this.connection.value = { state: "online" };
    else if (!isConnected) this.connection.value = { state: "offline", retryAtMs };
  }
}
