/**
 * The store of the page: a state fetched with POST /register, brought up to date by the events from GET /events. It is
 * the client's half of the convergence law as well: in the tests of every write, the fetched state with the events
 * applied must equal what POST /register answers afterwards. Written from the specification alone, so that server and
 * client cannot make the same mistake by using the same code.
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

export type { RegisterState, WireEvent } from "./state.ts";

const HANDLERS: ReadonlyMap<string, Handler> = new Map(
  [messageHandlers, channelHandlers, userHandlers, groupHandlers, realmHandlers, personalHandlers].flatMap((table) =>
    Object.entries(table),
  ),
);

/** Every kind of event that `applyEvent` knows, as `type` or `type/op`. */
export const APPLICABLE_KINDS: readonly string[] = [...HANDLERS.keys()];

/** `type/op`, or `type` for events without `op`. */
export function kindOf(event: { type: string; op?: unknown }): string {
  return event.op === undefined ? event.type : `${event.type}/${String(event.op)}`;
}

/** Events after which what follows from others has to be worked out again; of the rest there are very many. */
const changesPermissions = /^(?:realm|realm_user|user_group)\b/;
const changesUnread =
  /^(?:message|update_message|update_message_flags|delete_message|subscription|stream|user_topic|muted_topics)\b/;

/**
 * Brings `state` up to date by one event, in place. Parts of the state that were not fetched are left absent. The event
 * is expected to have the shape that `eventProblems` checks.
 *
 * @throws InapplicableEventError for an unknown type or op, or an event that a client in this state could not make
 * sense of.
 */
export function applyEvent(state: RegisterState, event: WireEvent, profile: ClientProfile): void {
  applyEvents(state, [event], profile);
}

/**
 * Does so for many: what follows from others is worked out once.
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
