/**
 * What other services send, read without trust. Every value is looked up by its path, and one that is not there or of
 * another kind counts as none. Texts are made so that they call nobody and inject no link (`markdown.ts`).
 */
import { badRequest } from "../../errors.ts";
import { hasFields } from "../../text/json-object.ts";
import { cut, harmless, plain } from "./markdown.ts";

/** No message is longer, so no text has to be. */
const maxText = 10_000;
/** Topics are shorter. */
const maxRaw = 500;

/** A payload without what the integration cannot do without. */
export const malformed = (what: string) => badRequest(`Malformed payload: ${what}`);

/** A value somewhere in a payload. */
export class Payload {
  constructor(private readonly value: unknown) {}

  /** The value at a path of names and places: `commits.0.id`. */
  at(path: string): Payload {
    let value: unknown = this.value;
    if (path === "") return this;
    for (const part of path.split(".")) {
      if (!hasFields(value) || !Object.hasOwn(value, part)) return new Payload(undefined);
      value = value[part];
    }
    return new Payload(value);
  }

  has(path: string): boolean {
    const { value } = this.at(path);
    return value !== undefined && value !== null;
  }

  /** Whether an object here has that name, be its value null. */
  knows(name: string): boolean {
    return typeof this.value === "object" && this.value !== null && Object.hasOwn(this.value, name);
  }

  /** The first of these that is a text or number, as it is but harmless; "" where none is. May have several lines. */
  text(...paths: string[]): string {
    return this.#first(paths, (raw) => harmless(cut(raw, maxText)));
  }

  /** As `text`, in one line that has no syntax of links: for names and titles. */
  line(...paths: string[]): string {
    return this.#first(paths, plain);
  }

  /** This value itself: a text in one line, several of them, or a text of code with its spaces. */
  own(isCode = false): string {
    const { value } = this;
    if (isCode) return typeof value === "string" ? harmless(cut(value, maxText)).replace(/[\r\n]+/g, "") : "";
    if (Array.isArray(value)) return this.lines("").join(", ");
    return new Payload({ value }).line("value");
  }

  /**
   * As `text`, in one line but otherwise as it came: for topics and names of events, which are no Markdown. Where words
   * of a message are made of it, `plain` is due.
   */
  raw(...paths: string[]): string {
    return this.#first(paths, (raw) => cut(raw, maxRaw).replace(/[\0-\x1f\x7f]+/g, " "));
  }

  /** As `raw`. @throws BAD_REQUEST where none is */
  need(...paths: string[]): string {
    const found = this.raw(...paths);
    if (found === "") throw malformed(`${paths[0]} is missing`);
    return found;
  }

  /** As `line`, for whom a message begins with: it opens no block, and is no command. */
  person(...paths: string[]): string {
    return this.line(...paths).replace(/^[\s/>#|*+~`-]+/, "") || "Somebody";
  }

  /** The number at a path. */
  number(path: string): number | undefined {
    const { value } = this.at(path);
    return typeof value === "number" && Number.isFinite(value) ? value : undefined;
  }

  /** The items of a list at a path; none where there is no list. */
  list(path: string): Payload[] {
    const { value } = this.at(path);
    return Array.isArray(value) ? value.map((item) => new Payload(item)) : [];
  }

  /** The items of a list at a path, each as `line`; those that are no text are left out. */
  lines(path: string, ...within: string[]): string[] {
    return this.list(path)
      .map((item) => (within.length === 0 ? new Payload({ item: item.value }).line("item") : item.line(...within)))
      .filter(Boolean);
  }

  /** The names of an object at a path and what they stand for; none where there is no object. */
  entries(path: string): [name: string, value: Payload][] {
    const { value } = this.at(path);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
    return Object.entries(value).map(([name, one]) => [plain(name), new Payload(one)]);
  }

  is(path: string, wanted: unknown): boolean {
    return this.at(path).value === wanted;
  }

  /** All of it, as somebody would write it down. */
  pretty(): string {
    return JSON.stringify(this.value, null, 2) ?? "null";
  }

  #first(paths: readonly string[], made: (raw: string) => string): string {
    for (const path of paths) {
      const { value } = this.at(path);
      const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
      if (typeof text !== "string") continue;
      const found = made(text).trim();
      if (found !== "") return found;
    }
    return "";
  }
}
