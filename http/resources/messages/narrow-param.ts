/** Parameters that message endpoints share: narrows, anchors, lists of message ids. */
import {
  array,
  boolean,
  enums,
  type Infer,
  max,
  min,
  nullable,
  number,
  optional,
  type as record,
  size,
  string,
  tuple,
  unknown,
} from "superstruct";
import { either } from "../../../actors/either.ts";
import { errors } from "../../../actors/errors.ts";
import type { NarrowTerm } from "../../../actors/events/registration.ts";
import { messageId } from "../../../actors/id-shapes.ts";
import { type Anchor, maxMessages } from "../../../actors/narrow/fetch-messages.ts";
import { maxTerms } from "../../../actors/narrow/narrow.ts";
import { annotated, described } from "../../../actors/shape.ts";
import type { MessageId } from "../../../storage/ids.ts";
import { json, jsonOrText, text } from "../../api/params.ts";

const narrowTerm = either(
  annotated(tuple([string(), unknown()]), { type: "array", minItems: 2, maxItems: 2 }),
  record({
    operator: described(string(), "What is compared, such as `channel`, `topic`, `sender`, `search` or `is`."),
    operand: described(unknown(), "What it is compared with."),
    negated: described(optional(nullable(boolean())), "Whether the term is to fail."),
  }),
);

/** Terms as pairs or objects. https://zulip.com/api/construct-narrow */
export const narrowParam = () => json(annotated(array(narrowTerm), { maxItems: maxTerms })).default([]);

/** Converts the terms of a `narrowParam` to one form. */
export function readNarrow(terms: Infer<typeof narrowTerm>[]): NarrowTerm[] {
  return terms.map((term) =>
    Array.isArray(term)
      ? { operator: term[0], operand: term[1], negated: false }
      : { operator: term.operator, operand: term.operand, negated: term.negated ?? false },
  );
}

/** An id or a word, as JSON or bare. */
export const anchorParam = () =>
  jsonOrText(
    // Words come first: most requests send one.
    either(enums(["newest", "oldest", "first_unread", "date"]), annotated(number(), { type: "integer" })),
  ).optional();

/** The time of the anchor `date`, in ISO 8601. */
export const anchorDateParam = () =>
  text({ maxLength: 100 }).optional().describe("With `anchor=date`: an ISO 8601 time.");

/** A day, or a time with or without a time zone. */
const timePattern = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/** UNIX seconds. A time without a zone is UTC. @throws REQUEST_VARIABLE_MISSING, REQUEST_VARIABLE_INVALID */
function readAnchorDate(date: string | undefined): number {
  if (date === undefined) throw errors.REQUEST_VARIABLE_MISSING({ var_name: "anchor_date" });
  const hasZone = !date.includes(":") || /(?:Z|[+-]\d\d:?\d\d)$/.test(date);
  const isTime = timePattern.test(date) && isDay(date.slice(0, 10));
  const time = isTime ? Date.parse(hasZone ? date : `${date}Z`) : Number.NaN;
  if (Number.isNaN(time))
    throw errors.REQUEST_VARIABLE_INVALID({ var_name: "anchor_date", bad_value: date.slice(0, 100) });
  return Math.ceil(time / 1000);
}

/** Whether there is such a day. `Date.parse` takes February 30 for a day of March. */
function isDay(day: string): boolean {
  const time = Date.parse(day);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

/** @throws REQUEST_VARIABLE_MISSING, REQUEST_VARIABLE_INVALID */
export function readAnchor(anchor: MessageId | string | undefined, date?: string): Anchor {
  if (anchor === undefined) throw errors.REQUEST_VARIABLE_MISSING({ var_name: "anchor" });
  if (typeof anchor === "number" && !Number.isInteger(anchor))
    throw errors.REQUEST_VARIABLE_INVALID({ var_name: "anchor", bad_value: String(anchor) });
  return anchor === "date" ? { sentSince: readAnchorDate(date) } : (anchor as Anchor);
}

/** A whole number in the range of message ids. */
const id = max(min(messageId(), 0), Number.MAX_SAFE_INTEGER);

/** Ids of messages, at most as many as a request may have. */
export const messageIdsParam = () => json(annotated(size(array(id), 0, maxMessages), { maxItems: maxMessages }));
