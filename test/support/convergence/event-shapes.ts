/**
 * Strict shapes of every event and of the register answer. One client refuses an event with an undocumented field, and
 * another fails as a whole on a missing one. So both kinds of difference are problems here.
 */
import { type Struct, type StructError, validate } from "superstruct";
import type { Declared } from "../../../actors/events/declare.ts";
import { type SentVariant, sentVariants } from "../../../actors/events/events.ts";
import type { Shape } from "../../../actors/shape.ts";
import type { ClientProfile } from "./client-profile.ts";
import { kindOf, type WireEvent } from "./client-state.ts";
import { isRight } from "./known-right.ts";
import { registerShape, unfit } from "./register-shape.ts";

const VARIANTS = new Map<string, SentVariant[]>();
for (const variant of sentVariants) {
  for (const kind of kindsOf(variant)) VARIANTS.set(kind, [...(VARIANTS.get(kind) ?? []), variant]);
}

/** Every kind of event that is declared, as `type` or `type/op`. */
export const SHAPED_KINDS: readonly string[] = [...VARIANTS.keys()];

function kindsOf({ type, shape }: SentVariant): string[] {
  const { op } = shape.schema;
  if (!op) return [type];
  const ops = op.type === "literal" ? [op.schema] : Object.values(op.schema as Record<string, string>);
  return ops.map((one) => `${type}/${one}`);
}

/** Fields that a kind of event has for a client of this profile, in any of its variants. */
export function fieldsOfEvent(kind: string, profile: ClientProfile): string[] {
  const sent = VARIANTS.get(kind)?.filter(({ to }) => misdirection(to, kind, profile) === undefined) ?? [];
  return [...new Set(sent.flatMap(({ shape }) => Object.keys(shape.schema)))];
}

/**
 * What is wrong with an event sent to a client of this profile, one line per field; empty when nothing is. An event
 * that the client must not get at all is also a problem. Of several variants the one that fits best is meant.
 */
export function eventProblems(event: WireEvent, profile: ClientProfile): string[] {
  const kind = kindOf(event);
  const declared = VARIANTS.get(kind);
  if (!declared) return [`${kind}: no such event is documented`];
  const isAsked = profile.eventTypes?.includes(event.type) ?? true;
  const unasked = isAsked || event.type === "heartbeat" ? [] : [`${kind}: sent to a queue that did not ask`];
  const byVariant = declared
    .map(({ to, shape }) => ({ lines: problems(event, shape, kind), misfit: misdirection(to, kind, profile) }))
    .sort((a, b) => a.lines.length - b.lines.length || Number(a.misfit !== undefined) - Number(b.misfit !== undefined));
  const { lines, misfit } = byVariant[0]!;
  return [...unasked, ...(misfit ? [`${kind}: sent ${misfit}`] : []), ...lines, ...disagreements(event, profile)];
}

/** What one field says of another, and what a capability says of values. */
function disagreements(event: WireEvent, profile: ClientProfile): string[] {
  const ids = (event["message_ids"] ?? []) as number[];
  const flagged = Object.keys((event["message_details"] ?? {}) as object);
  const isKept = event.type !== "update_message" || ids.includes(event["message_id"] as number);
  const isWhole = !("message_details" in event) || String(event["messages"]) === String(flagged);
  const hasNulls = event.type === "subscription" && event.op === "add" && /_not\w+":null/.test(JSON.stringify(event));
  return [
    ...(isKept ? [] : ["update_message: message_ids without message_id"]),
    ...(isWhole ? [] : ["update_message_flags: details of other messages"]),
    ...(hasNulls && !profile.capabilities.has("notification_settings_null") ? ["subscription: null settings"] : []),
  ];
}

/** Why a client of this profile is not sent a variant. */
function misdirection(to: Declared | undefined, type: string, profile: ClientProfile): string | undefined {
  const { has, lacks, slimPresence, applyMarkdown, includeSubscribers, named } = to ?? {};
  if (has !== undefined && !profile.capabilities.has(has)) return `without ${has}`;
  if (lacks !== undefined && profile.capabilities.has(lacks)) return `despite ${lacks}`;
  if (slimPresence !== undefined && profile.slimPresence !== slimPresence) return "in the other form of presence";
  if (includeSubscribers !== undefined && (profile.includeSubscribers !== "false") !== includeSubscribers)
    return includeSubscribers ? "without subscribers" : "with subscribers";
  if (applyMarkdown !== undefined && profile.applyMarkdown !== applyMarkdown) return "in the other format of content";
  if (named && !profile.eventTypes?.includes(type)) return "to a queue that did not name it";
  return undefined;
}

/** What is wrong with the answer to a registration for every type of event; empty when nothing is. */
export function registerProblems(answer: Readonly<Record<string, unknown>>, profile: ClientProfile): string[] {
  const isFit = Object.entries(registerShape.schema).every(([name, shape]) =>
    isRight(shape, answer[name], () => fits(answer[name], shape as Struct)),
  );
  return [...unfit(answer, profile), ...(isFit ? [] : problems(answer, registerShape, "register"))];
}

/** What is wrong with a value of a given shape; empty when nothing is. */
function problems(value: unknown, shape: Shape, name: string): string[] {
  if (fits(value, shape as Struct)) return [];
  const [error] = validate(value, shape as Struct);
  return error ? failures(error, name) : [];
}

/** What the structs used here need to know of where a value stands: nothing. */
const nowhere = { path: [], branch: [] };

/**
 * Whether `validate` finds nothing. It keeps the path of each value for its failures, which takes most of its time, and
 * most values have none.
 */
function fits(value: unknown, struct: Struct): boolean {
  for (const _ of struct.validator(value, nowhere)) return false;
  for (const [, part, shape] of struct.entries(value, nowhere)) if (!fits(part, shape as Struct)) return false;
  for (const _ of struct.refiner(value, nowhere)) return false;
  return true;
}

function failures(error: StructError, name: string): string[] {
  const lines = [...error.failures()].map((failure) => {
    const path = [name, ...failure.path].join(".");
    if (failure.type === "never") return `${path}: undocumented field with value ${render(failure.value)}`;
    if (failure.value === undefined) return `${path}: missing (expected ${failure.type})`;
    return `${path}: ${failure.message}`;
  });
  return [...new Set(lines)];
}

function render(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 100) ?? "undefined";
}
