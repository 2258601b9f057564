/**
 * Applies the events of GET /events to a state from POST /register. The tests of every write use it too: the state
 * fetched before, with the events applied, must equal the state fetched afterwards. It is written from the
 * specification alone, so that server and client do not share a mistake.
 */

import { channelHandlers } from "./channels.ts";
import type { ClientProfile } from "./client-profile.ts";
import { derive } from "./derived.ts";
import { groupHandlers } from "./groups.ts";
import { messageHandlers } from "./messages.ts";
import { personalHandlers } from "./personal.ts";
import { realmHandlers } from "./realm.ts";
import { type Handler, InapplicableEventError, type RegisterState, type WireEvent } from "./state.ts";
import { recount } from "./unread.ts";
import { userHandlers } from "./users.ts";

export { InapplicableEventError, type RegisterState, type WireEvent } from "./state.ts";

const HANDLERS: ReadonlyMap<string, Handler> = new Map(
  [messageHandlers, channelHandlers, userHandlers, groupHandlers, realmHandlers, personalHandlers].flatMap((table) =>
    Object.entries(table),
  ),
);

/** Every kind of event that `applyEvent` supports, as `type` or `type/op`. */
export const APPLICABLE_KINDS: readonly string[] = [...HANDLERS.keys()];

/** `type/op`, or `type` for events without `op`. */
export function kindOf(event: { type: string; op?: unknown }): string {
  return event.op === undefined ? event.type : `${event.type}/${String(event.op)}`;
}

/** Events after which derived fields have to be computed again. The frequent events are not among them. */
const changesPermissions = /^(?:realm|realm_user|user_group)\b/;
const changesUnread =
  /^(?:message|update_message|update_message_flags|delete_message|subscription|stream|user_topic|muted_topics)\b/;

/**
 * Applies one event to `state`, in place. Parts that were not fetched stay absent. The event has the shape that
 * `eventProblems` checks.
 *
 * @throws InapplicableEventError for an unknown type or op, or an event that does not fit the state
 */
export function applyEvent(state: RegisterState, event: WireEvent, profile: ClientProfile): void {
  applyEvents(state, [event], profile);
}

/**
 * Applies many events. Derived fields are computed once.
 * @throws InapplicableEventError as `applyEvent` does
 */
export function applyEvents(state: RegisterState, events: readonly WireEvent[], profile: ClientProfile): void {
  let hasPermissions = false;
  let hasUnread = false;
  for (const event of events) {
    const kind = kindOf(event);
    const handler = HANDLERS.get(kind);
    if (!handler) throw new InapplicableEventError(`no client knows an event ${kind}`);
    handler(state, event as never, profile);
    hasPermissions ||= changesPermissions.test(kind);
    hasUnread ||= changesUnread.test(kind);
  }
  if (hasPermissions) derive(state);
  if (hasUnread) recount(state);
}
