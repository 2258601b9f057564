/**
 * Strict shapes of every event and of the register answer. One client refuses an event with an undocumented field and
 * another fails as a whole on a missing one, so both kinds of difference are problems here.
 */
import { literal, type Struct, type StructError, validate } from "superstruct";
import type { Declared } from "../../../actors/events/declare.ts";
import { type SentVariant, sentVariants } from "../../../actors/events/events.ts";
import type { Shape } from "../../../actors/shape.ts";
import type { ClientProfile } from "./client-profile.ts";
import { kindOf, type WireEvent } from "./client-state.ts";
import { type EventShape, messageShapes } from "./event-shapes/messages.ts";
import * as objects from "./event-shapes/objects.ts";
import { userShapes } from "./event-shapes/others.ts";
import { registerShape } from "./event-shapes/register.ts";

export { objects };

const SHAPES: ReadonlyMap<string, EventShape> = new Map(
  [messageShapes, userShapes].flatMap((table) => Object.entries(table)),
);

const VARIANTS = new Map<string, SentVariant[]>();
for (const variant of sentVariants) {
  for (const kind of kindsOf(variant)) VARIANTS.set(kind, [...(VARIANTS.get(kind) ?? []), variant]);
}

/** Every kind of event that is declared, as `type` or `type/op`. */
export const SHAPED_KINDS: readonly string[] = [...VARIANTS.keys(), ...SHAPES.keys()];

function kindsOf({ type, shape }: SentVariant): string[] {
  const { op } = shape.schema;
  if (!op) return [type];
  const ops = op.type === "literal" ? [op.schema] : Object.values(op.schema as Record<string, string>);
  return ops.map((one) => `${type}/${one}`);
}

/** Fields that a kind of event has for a client of this profile, in any of its variants. */
export function fieldsOfEvent(kind: string, profile: ClientProfile): string[] {
  const declared = VARIANTS.get(kind)?.filter(({ to }) => misdirection(to, kind, profile) === undefined);
  if (declared) return [...new Set(declared.flatMap(({ shape }) => Object.keys(shape.schema)))];
  const shape = SHAPES.get(kind);
  const [type = "", op] = kind.split("/");
  const fieldsOf = (variant: object) =>
    Object.keys(shape?.({ id: 1, type, ...(op !== undefined && { op }), ...variant }, profile) ?? {});
  return [...new Set(variants.flatMap(fieldsOf))];
}

/** What decides which fields an event has. */
const variants: readonly object[] = [
  {},
  { property: "description" },
  { property: "invite_only" },
  { property: "default_language" },
  { rendering_only: true, stream_id: 1 },
  { content: "", stream_id: 1 },
  { new_stream_id: 1, subject: "" },
  { message_type: "stream" },
  { message_type: "direct" },
  { op: "remove", flag: "read" },
];

/**
 * What is wrong with an event sent to a client of this profile, one line per field; empty when nothing is. An event
 * that the client must not get at all is also a problem. Of several variants the one that fits best is meant.
 */
export function eventProblems(event: WireEvent, profile: ClientProfile): string[] {
  const kind = kindOf(event);
  const declared = VARIANTS.get(kind);
  if (!declared) return oldProblems(event, profile);
  const isAsked = profile.eventTypes?.includes(event.type) ?? true;
  const unasked = isAsked || event.type === "heartbeat" ? [] : [`${kind}: sent to a queue that did not ask`];
  const byVariant = declared
    .map(({ to, shape }) => ({ lines: problems(event, shape, kind), misfit: misdirection(to, kind, profile) }))
    .sort((a, b) => a.lines.length - b.lines.length || Number(a.misfit !== undefined) - Number(b.misfit !== undefined));
  const { lines, misfit } = byVariant[0]!;
  const hasNulls = kind === "subscription/add" && /_not\w+":null/.test(JSON.stringify(event));
  const nulls =
    hasNulls && !profile.capabilities.has("notification_settings_null") ? [`${kind}: has null settings`] : [];
  return [...unasked, ...nulls, ...(misfit ? [`${kind}: sent ${misfit}`] : []), ...lines];
}

/** Why a client of this profile is not sent a variant. */
function misdirection(to: Declared | undefined, type: string, profile: ClientProfile): string | undefined {
  const { has, lacks, slimPresence, includeSubscribers, named } = to ?? {};
  if (has !== undefined && !profile.capabilities.has(has)) return `without ${has}`;
  if (lacks !== undefined && profile.capabilities.has(lacks)) return `despite ${lacks}`;
  if (slimPresence !== undefined && profile.slimPresence !== slimPresence) return "in the other form of presence";
  if (includeSubscribers !== undefined && (profile.includeSubscribers !== "false") !== includeSubscribers)
    return includeSubscribers ? "without subscribers" : "with subscribers";
  if (named && !profile.eventTypes?.includes(type)) return "to a queue that did not name it";
  return undefined;
}

function oldProblems(event: WireEvent, profile: ClientProfile): string[] {
  const kind = kindOf(event);
  const shape = SHAPES.get(kind);
  if (!shape) return [`${kind}: no such event is documented`];
  const [type = "", op] = kind.split("/");
  const fields = {
    ...shape(event, profile),
    id: objects.int,
    type: literal(type),
    ...(op !== undefined && { op: literal(op) }),
  };
  return problems(event, objects.exactly(fields), kind);
}

/** What is wrong with the answer to a registration for every type of event; empty when nothing is. */
export function registerProblems(answer: unknown, profile: ClientProfile): string[] {
  return problems(answer, registerShape(profile), "register");
}

/** What is wrong with a value of a given shape; empty when nothing is. */
export function problems(value: unknown, shape: Shape, name: string): string[] {
  const [error] = validate(value, shape as Struct);
  return error ? failures(error, name) : [];
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
