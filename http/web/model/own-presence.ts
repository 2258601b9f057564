/** Reports the person's presence, and fetches that of others. */
import type { RegisterState } from "../../client/state/state.ts";
import { call } from "../wire/api.ts";
import type { Store } from "./store.ts";

/** A person without keyboard or pointer activity for so long is idle. */
const idleAfterMs = 5 * 60_000;

export class OwnPresence {
  #lastActivity = Date.now();
  #isNew = true;

  constructor(private readonly store: Store) {}

  begin(): void {
    if (this.store.state.user_id === undefined) return;
    const active = () => {
      this.#lastActivity = Date.now();
    };
    for (const type of ["keydown", "pointerdown", "pointermove", "scroll"])
      addEventListener(type, active, { passive: true, capture: true });
    const everyMs = (this.store.state.server_presence_ping_interval_seconds ?? 60) * 1000;
    setInterval(() => this.#tell(), everyMs);
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.#tell();
    });
    this.#tell();
  }

  #tell(): void {
    const isIdle = document.visibilityState !== "visible" || Date.now() - this.#lastActivity > idleAfterMs;
    call<Pick<RegisterState, "presences" | "presence_last_update_id">>("POST", "/users/me/presence", {
      status: isIdle ? "idle" : "active",
      new_user_input: !isIdle && this.#isNew,
      ping_only: false,
      last_update_id: this.store.state.presence_last_update_id ?? -1,
    }).then(
      ({ presences, presence_last_update_id }) => {
        this.#isNew = false;
        if (presence_last_update_id !== undefined) this.store.state.presence_last_update_id = presence_last_update_id;
        if (presences) this.store.state.presences = { ...this.store.state.presences, ...presences };
        this.store.touch("presence");
      },
      () => {},
    );
  }
}
