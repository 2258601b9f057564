/** Arguments that tools share, each with the JSON Schema that clients are told, and pages of rows. */
import { array, boolean, defaulted, integer, max, min, optional, size, string } from "superstruct";
import { either } from "../../actors/either.ts";
import { messageId, userId } from "../../actors/id-shapes.ts";
import { limits } from "../../actors/realm/state/settings.ts";
import { annotated, described } from "../../actors/shape.ts";

/** Rows of one answer, at most. */
export const maxRows = 100;
/** What may be asked for where Zulip takes more than `maxRows`; `GET /messages` returns no more there either. */
const maxAsked = 5000;
/** The largest number of people in a group conversation. */
const maxPeople = 1000;
/** Characters of a name: each of its code points may be two of them. */
const nameLength = (limit: number) => limit * 2;

/** How many rows to return. */
const count = (description: string, fallback: number, least: number, most: number) =>
  annotated(defaulted(max(min(integer(), least), most), fallback), {
    type: "integer",
    minimum: least,
    maximum: most,
    default: fallback,
    description,
  });

export const limit = (fallback: number) => count("How many to return at most.", fallback, 1, maxRows);

/** As `limit`, for tools that Zulip has: what is written for it may ask for more than one answer has. */
export const openCount = (description: string, fallback: number, least = 0) =>
  count(`${description} An answer has ${maxRows} at most: page on.`, fallback, least, maxAsked);

/** What one answer has of so many that are asked for. */
export const inOneAnswer = (asked: number): number => Math.min(asked, maxRows);

export const flag = (description: string, fallback: boolean) =>
  annotated(defaulted(boolean(), fallback), { type: "boolean", default: fallback, description });

export const words = (description: string, maxLength: number) =>
  annotated(size(string(), 1, maxLength), { description, minLength: 1, maxLength });

export const channelName = () =>
  either(
    annotated(integer(), { description: "Its id." }),
    annotated(size(string(), 1, nameLength(limits.channelName)), { description: "Its name." }),
  );

export const topicName = () => annotated(size(string(), 0, nameLength(limits.topic)), { description: "The topic." });

export const people = (description: string) =>
  annotated(size(array(userId()), 1, maxPeople), { description, minItems: 1, maxItems: maxPeople });

export const content = () => words("The text, in Markdown.", limits.message);

/** The id of a message, to go on from. */
export const fromMessage = (description: string) => described(optional(messageId()), description);

/**
 * The first rows of a list, made as they are needed.
 *
 * @param make undefined leaves a row out
 */
export function firstOf<T, R>(rows: Iterable<T>, limit: number, make: (row: T) => R | undefined): Page<R> {
  const page: R[] = [];
  for (const row of rows) {
    const made = make(row);
    if (made === undefined) continue;
    if (page.length === limit) return { page, has_more: true };
    page.push(made);
  }
  return { page, has_more: false };
}

interface Page<R> {
  page: R[];
  /** Whether more rows follow. */
  has_more: boolean;
}
