/** Parameters that several message endpoints share: a narrow, an anchor, lists of message ids. */
import {
  array,
  boolean,
  enums,
  type Infer,
  integer,
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
import { type Anchor, maxMessages } from "../../../actors/narrow/fetch-messages.ts";
import type { NarrowTerm } from "../../../actors/narrow/narrow.ts";
import { annotated } from "../../../actors/shape.ts";
import { json, jsonOrText } from "../../api/params.ts";

const narrowTerm = either(
  annotated(tuple([string(), unknown()]), { type: "array", minItems: 2, maxItems: 2 }),
  record({ operator: string(), operand: unknown(), negated: optional(nullable(boolean())) }),
);

/** Terms as pairs or objects. https://zulip.com/api/construct-narrow */
export const narrowParam = () => json(array(narrowTerm)).default([]);

/** The terms of a `narrowParam`, all in one form. */
export function readNarrow(terms: Infer<typeof narrowTerm>[]): NarrowTerm[] {
  return terms.map((term) =>
    Array.isArray(term)
      ? { operator: term[0], operand: term[1], negated: false }
      : { operator: term.operator, operand: term.operand, negated: term.negated ?? false },
  );
}

/** An id or a word; as JSON or bare. */
export const anchorParam = () =>
  jsonOrText(either(annotated(number(), { type: "integer" }), enums(["newest", "oldest", "first_unread"]))).optional();

/** @throws REQUEST_VARIABLE_MISSING, REQUEST_VARIABLE_INVALID */
export function readAnchor(anchor: number | string | undefined): Anchor {
  if (anchor === undefined) throw errors.REQUEST_VARIABLE_MISSING({ var_name: "anchor" });
  if (typeof anchor === "number" && !Number.isInteger(anchor))
    throw errors.REQUEST_VARIABLE_INVALID({ var_name: "anchor", bad_value: String(anchor) });
  return anchor as Anchor;
}

/** A whole number that a message id can be. */
const id = max(min(integer(), 0), Number.MAX_SAFE_INTEGER);

/** Ids of messages, at most as many as one request may name. */
export const messageIdsParam = () => json(annotated(size(array(id), 0, maxMessages), { maxItems: maxMessages }));
