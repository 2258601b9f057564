/**
 * An event is encoded once per *form*, not once per queue. `form` takes from a reader all that the event's bytes depend
 * on. `write` makes the content from the form and cannot see the reader. The form is the key of the cached bytes, so
 * nobody can get bytes that were made for somebody else.
 */
import type { UserId } from "../../storage/ids.ts";
import { recordOf } from "../../storage/rows.ts";
import type { RealmState } from "../realm/state/state.ts";
import type { Capability } from "./capabilities.ts";
import type { EventOf, RealmEvent } from "./events.ts";
import type { Registration } from "./registration.ts";

/** What the form of an event may depend on. */
export interface Reader {
  readonly id: string;
  readonly userId: UserId;
  readonly registration: Registration;
  readonly has: ReadonlySet<Capability>;
  /** The form of a message with nothing special for this reader: one object for all queues of a kind. */
  readonly messageForm: MessageForm;
}

/** The format in which a reader gets messages. */
export interface MessageForm {
  /** HTML instead of Markdown. */
  readonly html: boolean;
  /** The client computes the addresses of Gravatars. */
  readonly gravatar: boolean;
  /** The client knows that a topic may be empty. */
  readonly emptyTopic: boolean;
}

/** Plain data. A frozen form is one of a few that many readers share. */
export type Form = object;

/** An event as it is sent, without `id`: the wire's fields in the form that a client asked for. */
export type WireEvent = { type: RealmEvent["type"] } & Record<string, unknown>;

export interface EventForm<E extends RealmEvent, F extends Form> {
  form(event: E, reader: Reader, state: RealmState): F;
  /** One event, several (each takes a position of its own, see `Entry.span`), or none. */
  write(event: E, form: F, state: RealmState): WireEvent | WireEvent[];
}

/** An `EventForm` without its type of form. The result of its `form` goes to its own `write` only. */
export type AnyEventForm<T extends RealmEvent["type"]> = EventForm<EventOf<T>, Form>;

export function eventForm<T extends RealmEvent["type"], F extends Form>(
  form: EventForm<EventOf<T>, F>,
): AnyEventForm<T> {
  return form;
}

/** The form of an event that is the same for everybody. */
export const same: Form = Object.freeze({});

/** A frozen form for each value of one flag. */
export function flag<N extends string>(name: N): (isSet: boolean) => Readonly<Record<N, boolean>> {
  const formOf = (isSet: boolean) => Object.freeze(recordOf([name], () => isSet));
  const [on, off] = [formOf(true), formOf(false)];
  return (isSet) => (isSet ? on : off);
}
