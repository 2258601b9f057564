/**
 * Every event a client can be sent, in the wire's shape but for `id`, which is the event's place in the realm's log.
 * Where clients declared different formats, the log carries the fullest one; `forms.ts` has the table that derives the
 * others. Their meaning for clients: https://zulip.com/api/get-events
 */
import type { ChannelEvents } from "./channels.ts";
import type { MessageEvents } from "./messages.ts";
import type { OrganizationEvents } from "./organization.ts";
import type { PeopleEvents } from "./people.ts";
import type { PersonalEvents } from "./personal.ts";

export type RealmEvent = MessageEvents | ChannelEvents | PeopleEvents | PersonalEvents | OrganizationEvents;

/** The events of a type. */
export type EventOf<T extends RealmEvent["type"]> = Extract<RealmEvent, { type: T }>;
