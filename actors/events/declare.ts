/**
 * Each event is declared once, in the file of its noun. The type `RealmEvent`, the lists in `events.ts` and the types
 * of the page follow from the declarations. So do the events of the API's description, and the check of every event
 * that a client of a test receives. Nothing is checked in production.
 */

import type { object } from "superstruct";
import type { ValuesOf } from "../shape.ts";
import type { Capability } from "./capabilities.ts";

/** An event's fields beside `type`. */
export type EventFields = Parameters<typeof object>[0];

/** What a client declares when it registers that decides whether it is sent an event, or in which format. */
export interface Declared {
  readonly has?: Capability;
  readonly lacks?: Capability;
  readonly slimPresence?: boolean;
  readonly includeSubscribers?: boolean;
  readonly applyMarkdown?: boolean;
  /** The client named the type of the event. */
  readonly named?: true;
}

/** Fields of an event that is sent only to clients that declared this. */
export class SentTo<F extends EventFields> {
  constructor(
    readonly to: Declared,
    readonly fields: F,
  ) {}
}

export const sentTo = <const F extends EventFields>(to: Declared, fields: F): SentTo<F> => new SentTo(to, fields);

/** One variant of an event: for everybody, or for some clients. */
export type Variant = EventFields | SentTo<EventFields>;

/** The type of an event as the log carries it. */
export interface Logged<E> {
  readonly EVENT?: E;
}

/** What a log carries if that is another event than any client is sent. `forms.ts` makes what is sent. */
export const logged = <E>(): Logged<E> => ({});

export interface Declaration {
  /**
   * Where the part of the state that it changes is read when a client registers. `replicated`: in the replica, or there
   * is no such part. `stored`: in PostgreSQL. A list is stored too: each person has their own, and the event goes to
   * those whose list it changes.
   */
  readonly state: "replicated" | "stored" | { readonly list: string };
  readonly logged?: Logged<object>;
  /** At least one fits each event that is sent. */
  readonly sent: readonly Variant[];
}

/** Declares events, by type. */
export const declare = <const D extends Readonly<Record<string, Declaration>>>(declarations: D): D => declarations;

type Plain<T> = { -readonly [K in keyof T]: T[K] };
type FieldsOf<V> = V extends SentTo<infer F> ? F : V extends EventFields ? V : never;
type EventWith<T, F> = F extends EventFields ? Plain<{ type: T } & ValuesOf<F>> : never;

/** The values of a variant's fields, of whichever of several. */
export type ValuesOfVariant<V extends Variant> = V extends Variant ? Plain<ValuesOf<FieldsOf<V>>> : never;

/** The events of a table as clients are sent them, by type. */
export type SentBy<D extends Readonly<Record<string, Declaration>>> = {
  [T in keyof D & string]: EventWith<T, FieldsOf<D[T]["sent"][number]>>;
};

/** The events of a table as the log carries them, by type. */
export type LoggedBy<D extends Readonly<Record<string, Declaration>>> = {
  [T in keyof D & string]: D[T] extends { readonly logged: Logged<infer E> } ? E : SentBy<D>[T];
};
