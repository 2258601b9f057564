/**
 * The client's half of the convergence law: a state fetched with POST /register, brought up to date by the events from
 * GET /events, must equal what POST /register answers afterwards. Written from the specification alone and shared by
 * all tests, so that server and client cannot make the same mistake by using the same code.
 */
import type { ClientProfile } from "./client-profile.ts";
import { channelHandlers } from "./client-state/channels.ts";
import { derive } from "./client-state/derived.ts";
import { groupHandlers } from "./client-state/groups.ts";
import { messageHandlers } from "./client-state/messages.ts";
import { personalHandlers } from "./client-state/personal.ts";
import { realmHandlers } from "./client-state/realm.ts";
import { type Handler, InapplicableEventError, type RegisterState, type WireEvent } from "./client-state/state.ts";
import { recount } from "./client-state/unread.ts";
import { userHandlers } from "./client-state/users.ts";

export { diffStates } from "./client-state/diff.ts";
export { normalizeState } from "./client-state/normalize.ts";
export type { RegisterState, WireEvent } from "./client-state/state.ts";

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

/**
 * Brings `state` up to date by one event, in place. Parts of the state that were not fetched are left absent. The event
 * is expected to have the shape that `eventProblems` checks.
 *
 * @throws InapplicableEventError for an unknown type or op, or an event that a client in this state could not make
 * sense of.
 */
export function applyEvent(state: RegisterState, event: WireEvent, profile: ClientProfile): void {
  const handler = HANDLERS.get(kindOf(event));
  if (!handler) throw new InapplicableEventError(`no client knows an event ${kindOf(event)}`);
  handler(state, event as never, profile);
  derive(state);
  recount(state);
}
