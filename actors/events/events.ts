/**
 * Every event a client can be sent, in the wire's shape but for `id`, which is the event's place in the realm's log.
 * Where clients declared different formats, the log carries the fullest one; `forms.ts` has the table that derives the
 * others. Their meaning for clients: https://zulip.com/api/get-events
 */
import { literal, object } from "superstruct";
import { logPosition } from "../id-shapes.ts";
import type { Shape } from "../shape.ts";
import { channelEvents } from "./channels.ts";
import { type Declaration, type Declared, type EventFields, type LoggedBy, SentTo } from "./declare.ts";
import { messageEvents } from "./messages.ts";
import { organizationEvents } from "./organization.ts";
import { peopleEvents } from "./people.ts";
import { personalEvents } from "./personal.ts";

const declared = { ...messageEvents, ...channelEvents, ...peopleEvents, ...personalEvents, ...organizationEvents };
type Table = typeof declared;
type LoggedTypes = LoggedBy<Table>;

export type RealmEvent = LoggedTypes[keyof LoggedTypes];

/** Under another name, since within the block below `RealmEvent` is the core's. */
type DeclaredEvent = RealmEvent;

declare module "../realm/entry.ts" {
  interface LogVocabulary {
    event: DeclaredEvent;
  }
}

/** The events of a type. */
export type EventOf<T extends RealmEvent["type"]> = Extract<RealmEvent, { type: T }>;

/** Types of which the log carries another event than any client is sent. */
export type FormedType = { [T in keyof Table]: Table[T] extends { logged: object } ? T : never }[keyof Table];

/** One variant of an event as it is sent. */
export interface SentVariant {
  readonly type: string;
  /** Undefined: everybody is sent it. */
  readonly to: Declared | undefined;
  readonly shape: Shape & { readonly schema: EventFields };
}

/** All variants of all events, in the order in which they are declared. */
export const sentVariants: readonly SentVariant[] = Object.entries<Declaration>(declared).flatMap(([type, { sent }]) =>
  sent.map((variant): SentVariant => {
    const { to, fields } = variant instanceof SentTo ? variant : { to: undefined, fields: variant };
    const shape = object({ id: logPosition(), type: literal(type), ...fields });
    return { type, to, shape };
  }),
);

const typesWhere = (holds: (state: Declaration["state"]) => boolean): ReadonlySet<string> =>
  new Set(Object.entries<Declaration>(declared).flatMap(([type, { state }]) => (holds(state) ? [type] : [])));

/**
 * Types whose part of the register state is read from PostgreSQL, not from the replica. The two parts are read at two
 * positions, the replica's never the earlier one. Between them only events of these types are new to the client.
 */
export const storedTypes = typesWhere((state) => state !== "replicated");

/** Types of events about lists that a register tells. Each event goes to those whose list it changes. */
export const listTypes = typesWhere((state) => typeof state === "object");

/** The names of such lists. */
export type StoredList = Extract<Table[keyof Table]["state"], object>["list"];
