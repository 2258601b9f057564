/** The page's connection to the server: who is logged in, the state and its events, and what the bar on top shows. */
import { batch, type Signal, signal } from "@preact/signals";
import type { ClientEvent } from "../../client/events.ts";
import { RETRY } from "../../client/pause.ts";
import { Following } from "../../client/queue/following.ts";
import { registerParams } from "../../client/state/client-profile.ts";
import type { RegisterState } from "../../client/state/state.ts";
import { ApiError, call, isPerhapsLoggedIn, pageAccess } from "../wire/api.ts";
import { askAfterMs, isCurrent, reloadAfterMs } from "../wire/page-build.ts";
import type { Store } from "./store.ts";

export type Connection =
  | { state: "starting" }
  | { state: "online" }
  | { state: "offline"; retryAtMs: number }
  | { state: "logged out" }
  /** The server has another build of the page: a reload fetches it. */
  | { state: "outdated"; reloadFromMs: number };

export interface SessionEvents {
  /** The state has been fetched, for the first time or again. */
  onState(isFirst: boolean): void;
  /** New events in order. The store has applied them already. */
  onEvents(events: readonly ClientEvent[]): void;
}

/** Events within this time are applied together, and views are drawn once. */
const gatherMs = 100;

export class Session {
  readonly connection: Signal<Connection> = signal({ state: "starting" });
  readonly error: Signal<string> = signal("");
  /**
   * When the page may load itself anew, since the server has another build of it. A lost connection does not change
   * that.
   */
  #reloadFromMs: number | undefined;
  #asking: ReturnType<typeof setTimeout> | undefined;
  readonly #following: Following;

  constructor(
    private readonly store: Store,
    private readonly events: SessionEvents,
  ) {
    this.#following = new Following({
      access: pageAccess,
      gatherMs,
      register: () => this.#register(),
      onState: (state, isFirst) => this.#begin(state, isFirst),
      onEvents: (all) => this.#apply(all),
      onConnection: (isConnected, retryAtMs = 0, error = undefined) => {
        if (error) this.error.value = error.message;
        this.#connected(isConnected, retryAtMs);
      },
    });
  }

  /** Sends name the queue, so that its events tell which messages are its own. */
  get queueId(): string {
    return this.#following.queueId;
  }

  get isLoggedIn(): boolean {
    return this.store.state.user_id !== undefined;
  }

  /** Runs as long as the page is open. */
  async run(): Promise<void> {
    if ((await this.#following.run()) === "logged out") this.connection.value = { state: "logged out" };
  }

  /** Asks for no events while an action is under way: one that ends the log-in would have them refused. */
  pauseWhile(action: () => Promise<void>): void {
    this.#following.pauseWhile(action);
  }

  /** @throws ApiError */
  async #register(): Promise<RegisterState> {
    if (!isPerhapsLoggedIn()) return this.#registerAsSpectator();
    try {
      return await call<RegisterState>("POST", "/register", registerParams(this.store.profile));
    } catch (error) {
      // The log-in that this browser had is over.
      if (error instanceof ApiError && error.code === "BAD_REQUEST" && /anonymous/.test(error.message))
        return this.#registerAsSpectator();
      throw error;
    }
  }

  /** @throws ApiError 401 where only members are let in */
  async #registerAsSpectator(): Promise<RegisterState> {
    const settings = await call<{ realm_web_public_access_enabled?: boolean }>("GET", "/server_settings");
    if (!settings.realm_web_public_access_enabled) throw new ApiError("", "UNAUTHORIZED", 401);
    const params = { ...registerParams(this.store.profile), client_gravatar: false, include_subscribers: "false" };
    return call<RegisterState>("POST", "/register", params);
  }

  #begin(state: RegisterState, isFirst: boolean): void {
    const { server_generation: before } = this.store.state;
    if (!isFirst && before !== state["server_generation"]) this.#askForBuild();
    this.store.replace(state);
    this.#answered();
    this.events.onState(isFirst);
  }

  #apply(events: readonly ClientEvent[]): void {
    batch(() => {
      this.store.apply(events);
      this.events.onEvents(events);
    });
    if (events.some(({ type }) => type === "web_reload_client")) this.#becomeOutdated();
    else if (events.some(({ type }) => type === "restart")) this.#askForBuild();
  }

  /** Looks for a newer build of the page, at a moment of its own. */
  #askForBuild(): void {
    if (this.#reloadFromMs !== undefined) return;
    this.#asking ??= setTimeout(() => void this.#askNow(), askAfterMs());
  }

  async #askNow(): Promise<void> {
    const isOld = await isCurrent().then(
      (yes) => !yes,
      () => undefined,
    );
    this.#asking = undefined;
    if (isOld) this.#becomeOutdated();
    // Once there is a connection again it asks anyway.
    else if (isOld === undefined && this.connection.peek().state === "online") this.#askForBuild();
  }

  #becomeOutdated(): void {
    this.#reloadFromMs ??= Date.now() + reloadAfterMs();
    if (this.connection.peek().state === "online") this.#answered();
  }

  /** The server answers. */
  #answered(): void {
    const reloadFromMs = this.#reloadFromMs;
    this.connection.value = reloadFromMs === undefined ? { state: "online" } : { state: "outdated", reloadFromMs };
  }

  #connected(isConnected: boolean, retryAtMs: number): void {
    const { state } = this.connection.peek();
    if (isConnected && state !== "outdated" && state !== "online") {
      // Another node may have answered, of a newer version.
      if (state === "offline") this.#askForBuild();
      this.#answered();
      // Requests that wait for the server go out now.
      dispatchEvent(new Event(RETRY));
    } else if (!isConnected) this.connection.value = { state: "offline", retryAtMs };
  }
}
