/**
 * The state of the organization as the page has it, and what views read it by: one signal per area of the state, which
 * says that something in it has changed. Events are folded in by `state/`; a batch of them counts as one change.
 */
import { batch, type Signal, signal } from "@preact/signals";
import type { ClientProfile } from "../state/client-profile.ts";
import { applyEvents } from "../state/fold.ts";
import type { RegisterState, WireEvent } from "../state/state.ts";

export const areas = [
  "unread",
  "conversations",
  "channels",
  "topics",
  "people",
  "presence",
  "status",
  "groups",
  "realm",
  "settings",
  "personal",
] as const;
export type Area = (typeof areas)[number];

/** What changes with each type of event. A type that is not here changes everything: better slow than wrong. */
const areasOf: Readonly<Record<string, readonly Area[]>> = {
  message: ["unread", "conversations"],
  update_message: ["unread", "personal"],
  delete_message: ["unread", "personal", "conversations"],
  update_message_flags: ["unread", "personal"],
  reaction: [],
  submessage: [],
  typing: [],
  typing_edit_message: [],
  heartbeat: [],
  presence: ["presence"],
  user_status: ["status"],
  realm_user: ["people", "groups", "realm"],
  realm_bot: ["people"],
  stream: ["channels", "unread"],
  subscription: ["channels", "unread"],
  channel_folder: ["channels"],
  user_topic: ["topics", "unread"],
  muted_topics: ["topics", "unread"],
  user_group: ["groups", "realm"],
  user_settings: ["settings"],
  realm: ["realm"],
  drafts: ["personal"],
  scheduled_messages: ["personal"],
  reminders: ["personal"],
  saved_snippets: ["personal"],
  muted_users: ["people", "unread"],
  attachment: [],
};

/** Events that belong to lists of messages, which keep themselves up to date. */
export class Store {
  state: RegisterState = {};
  readonly #versions = Object.fromEntries(areas.map((area) => [area, signal(0)])) as Record<Area, Signal<number>>;

  constructor(readonly profile: ClientProfile) {}

  /** The state, for who shows these areas of it: their views are drawn anew when one of them changes. */
  read(...of: readonly Area[]): RegisterState {
    for (const area of of) void this.#versions[area].value;
    return this.state;
  }

  /** A number that is another one after each change of the area. */
  version(area: Area): number {
    return this.#versions[area].value;
  }

  replace(state: RegisterState): void {
    this.state = state;
    this.#touch(areas);
  }

  apply(events: readonly WireEvent[]): void {
    applyEvents(this.state, events, this.profile);
    this.#touch(new Set(events.flatMap((event) => areasOf[event.type] ?? areas)));
  }

  /** For values that the page works out itself, such as a presence that is fetched. */
  touch(...of: readonly Area[]): void {
    this.#touch(of);
  }

  #touch(of: Iterable<Area>): void {
    batch(() => {
      for (const area of of) this.#versions[area].value++;
    });
  }
}
