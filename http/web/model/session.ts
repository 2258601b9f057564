/**
 * The connection to the server. It registers a queue, fetches the state, and applies the queue's events to it. When the
 * queue is gone (for example after a long sleep), it registers again, and everything shown is fetched again.
 */
import { batch, type Signal, signal } from "@preact/signals";
import { registerParams } from "../state/client-profile.ts";
import type { RegisterState } from "../state/state.ts";
import { ApiError, call, isPerhapsLoggedIn } from "../wire/api.ts";
import type { Transport } from "../wire/event-source.ts";
import type { PageEvent } from "../wire/events.ts";
import { pause } from "../wire/pause.ts";
import type { Store } from "./store.ts";

export type Connection =
  | { state: "starting" }
  | { state: "online" }
  | { state: "offline"; retryAtMs: number }
  | { state: "logged out" }
  /** The server has been upgraded: a reload fetches its page. */
  | { state: "outdated" };

export interface SessionEvents {
  /** The state has been fetched, for the first time or again. */
  onState(isFirst: boolean): void;
  /** New events in order. The store has applied them already. */
  onEvents(events: readonly PageEvent[]): void;
}

/** Events within this time are applied together, and views are drawn once. */
const gatherMs = 100;
/** If applying events takes long, the next ones wait this many times as long, so that the page stays responsive. */
const restPerWork = 8;
const firstRetryMs = 1000;
const maxRetryMs = 30_000;

export class Session {
  readonly connection: Signal<Connection> = signal({ state: "starting" });
  readonly error: Signal<string> = signal("");
  #queueId = "";
  /** The server has been upgraded since the page was loaded. A lost connection does not change that. */
  #isOutdated = false;
  readonly #stop = new AbortController();

  constructor(
    private readonly store: Store,
    private readonly transport: Transport,
    private readonly events: SessionEvents,
  ) {}

  /** Sends name the queue, so that its events tell which messages are its own. */
  get queueId(): string {
    return this.#queueId;
  }

  get isLoggedIn(): boolean {
    return this.store.state.user_id !== undefined;
  }

  /** Runs as long as the page is open. */
  async run(): Promise<void> {
    for (let isFirst = true; !this.#stop.signal.aborted; isFirst = false) {
      const state = await this.#register();
      if (!state) return;
      this.#forget();
      this.#queueId = state.queue_id ?? "";
      const { server_generation: before } = this.store.state;
      this.#isOutdated ||= !isFirst && before !== state["server_generation"];
      this.store.replace(state);
      this.#answered();
      this.events.onState(isFirst);
      // A spectator has no queue, and sees the state as it was fetched.
      if (!state.queue_id) return;
      const cursor = { queueId: state.queue_id, lastEventId: state.last_event_id ?? -1 };
      const listener = {
        onEvents: (events: readonly PageEvent[]) => this.#receive(events),
        onConnection: (isConnected: boolean, retryAtMs = 0) => this.#connected(isConnected, retryAtMs),
      };
      const follow = () => {
        const ended = new AbortController();
        this.#stop.signal.addEventListener("abort", () => ended.abort());
        this.#restart = () => ended.abort();
        return this.transport(cursor, listener, ended.signal);
      };
      let ending = await follow();
      while (this.#pause) {
        await this.#pause;
        this.#pause = undefined;
        ending = await follow();
      }
      if (ending === "logged out") {
        this.connection.value = { state: "logged out" };
        return;
      }
    }
  }

  #restart = (): void => {};
  #pause: Promise<void> | undefined;

  /** Asks for no events while an action is under way: one that ends the log-in would have them refused. */
  pauseWhile(action: () => Promise<void>): void {
    this.#pause = action();
    this.#restart();
  }

  /** Registers a queue, and retries until it succeeds. Undefined when nobody is logged in. */
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

  #waiting: PageEvent[] = [];
  #gathering: ReturnType<typeof setTimeout> | undefined;
  #nextAt = Number.NEGATIVE_INFINITY;

  #receive(events: readonly PageEvent[]): void {
    this.#waiting.push(...events);
    if (this.#gathering !== undefined) return;
    const waitMs = this.#nextAt - performance.now();
    if (waitMs <= 0) this.#apply();
    else this.#gathering = setTimeout(() => this.#apply(), waitMs);
  }

  /** Drops events that are not applied: the next state contains them. */
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
    // Views are drawn before the next task, so this measures drawing too.
    setTimeout(() => {
      this.#nextAt = Math.max(this.#nextAt, begunAt + restPerWork * (performance.now() - begunAt));
    });
    try {
      batch(() => {
        this.store.apply(events);
        this.events.onEvents(events);
      });
    } catch (error) {
      // An event does not fit the state. Everything is fetched again, and the console has the reason.
      console.warn("The state is fetched again.", error);
      this.#restart();
      return;
    }
    this.#isOutdated ||= events.some(({ type }) => type === "restart" || type === "web_reload_client");
    if (this.#isOutdated && this.connection.peek().state === "online") this.#answered();
  }

  /** The server answers. */
  #answered(): void {
    this.connection.value = { state: this.#isOutdated ? "outdated" : "online" };
  }

  #connected(isConnected: boolean, retryAtMs: number): void {
    const { state } = this.connection.peek();
    if (isConnected && state !== "outdated" && state !== "online") {
      this.#answered();
      // Requests that wait for the server go out now.
      dispatchEvent(new Event("parley:retry"));
    } else if (!isConnected) this.connection.value = { state: "offline", retryAtMs };
  }
}
