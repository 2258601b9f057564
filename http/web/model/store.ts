/**
 * The state of the organization. Views read it by area; each area has a signal that tells of changes. `state/` applies
 * the events, and a batch of them counts as one change.
 */
import { batch, type Signal, signal } from "@preact/signals";
import type { ClientEvent } from "../../client/events.ts";
import type { ClientProfile } from "../../client/state/client-profile.ts";
import { applyEvents } from "../../client/state/fold.ts";
import type { RegisterState } from "../../client/state/state.ts";

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

/** The areas that each type of event changes. An unknown type changes all areas: slow, but never wrong. */
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
  realm_user_settings_defaults: ["realm"],
  drafts: ["personal"],
  scheduled_messages: ["personal"],
  reminders: ["personal"],
  saved_snippets: ["personal"],
  muted_users: ["people", "unread"],
  attachment: [],
  invites_changed: [],
  realm_export: [],
  realm_export_consent: [],
};

/** The state, with a signal for each of its areas. */
export class Store {
  state: RegisterState = {};
  readonly #versions = Object.fromEntries(areas.map((area) => [area, signal(0)])) as Record<Area, Signal<number>>;

  constructor(readonly profile: ClientProfile) {}

  /** The state, for a view of these areas: it is drawn again when one of them changes. */
  read(...of: readonly Area[]): RegisterState {
    for (const area of of) void this.#versions[area].value;
    return this.state;
  }

  /** A number that differs after each change of the area. */
  version(area: Area): number {
    return this.#versions[area].value;
  }

  replace(state: RegisterState): void {
    this.state = state;
    this.#touch(areas);
  }

  apply(events: readonly ClientEvent[]): void {
    applyEvents(this.state, events, this.profile);
    this.#touch(new Set(events.flatMap((event) => areasOf[event.type] ?? areas)));
  }

  /** For values that the page itself changes, such as fetched presences. */
  touch(...of: readonly Area[]): void {
    this.#touch(of);
  }

  #touch(of: Iterable<Area>): void {
    batch(() => {
      for (const area of of) this.#versions[area].value++;
    });
  }
}
