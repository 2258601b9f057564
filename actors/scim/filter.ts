/**
 * Filters of SCIM: `userName eq "ada"`, `emails[type eq "work" and value co "@example.com"]`. Names of attributes and
 * operators are compared without case. Source: RFC 7644, 3.4.2.2.
 *
 *     or      = and *("or" and)
 *     and     = factor *("and" factor)
 *     factor  = "(" or ")" | "not" "(" or ")" | path "pr" | path operator value | path "[" or "]" [after]
 *     after   = "." name ("pr" | operator value)
 *
 * The last form is none of the RFC's. Entra sends it: `emails[type eq "work"].value eq "ada@example.com"`.
 */
import { firstOf } from "../../storage/failures.ts";
import { refusal } from "./refusals.ts";

export type Filter =
  | { kind: "compare"; path: string; operator: Operator; value: string | number | boolean | null }
  | { kind: "present"; path: string }
  | { kind: "all" | "any"; filters: Filter[] }
  | { kind: "not"; filter: Filter }
  /** One item of a list fits. */
  | { kind: "item"; path: string; filter: Filter };

const operators = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const;
type Operator = (typeof operators)[number];

/** More than any directory sends, and few enough to be looked at for each account. */
const maxComparisons = 50;
const maxDepth = 10;
export const maxFilterLength = 4000;

const token = /\s*(?:([()[\]])|("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?)(?![\w.])|(\.?[A-Za-z$][\w$.:/-]*))/y;

/** Schemas whose attributes are named without them. */
const corePrefix = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/;

/** A name as it is compared: in lower case, without the schema of users and groups. */
export const plainPath = (path: string): string => path.toLowerCase().replace(corePrefix, "");

/** @throws a 400 with `invalidFilter` */
export function parseFilter(text: string): Filter {
  const parser = new Parser(text);
  const filter = parser.or(0);
  parser.end();
  return filter;
}

/** The path of a PATCH: an attribute, a filter of its items, and a part of it. */
export interface PatchPath {
  attribute: string;
  filter?: Filter | undefined;
  part?: string | undefined;
}

/** @throws a 400 with `invalidPath` or `invalidFilter` */
export function parsePatchPath(text: string): PatchPath {
  const parser = new Parser(text);
  const path = parser.path();
  const bracket = parser.takes("[");
  if (!bracket) {
    parser.end();
    const dot = path.startsWith("urn:") ? -1 : path.indexOf(".");
    return dot < 0 ? { attribute: path } : { attribute: path.slice(0, dot), part: path.slice(dot + 1) };
  }
  const filter = parser.or(1);
  parser.expect("]");
  const part = parser.isAtEnd ? undefined : parser.part();
  parser.end();
  return { attribute: path, filter, part };
}

class Parser {
  #at = 0;
  #comparisons = 0;

  constructor(private readonly text: string) {
    if (text.length > maxFilterLength)
      throw refusal("invalidFilter", `A filter has at most ${maxFilterLength} characters.`);
  }

  or(depth: number): Filter {
    return this.#chain("any", "or", () => this.#chain("all", "and", () => this.#factor(depth)));
  }

  #chain(kind: "all" | "any", word: string, next: () => Filter): Filter {
    const filters = [next()];
    while (this.takes(word)) filters.push(next());
    return filters.length === 1 ? firstOf(filters) : { kind, filters };
  }

  #factor(depth: number): Filter {
    if (depth > maxDepth) throw refusal("invalidFilter", `A filter has at most ${maxDepth} levels.`);
    const isNegated = this.takes("not");
    if (isNegated || this.#peek() === "(") {
      this.expect("(");
      const filter = this.or(depth + 1);
      this.expect(")");
      return isNegated ? { kind: "not", filter } : filter;
    }
    const path = this.path();
    if (!this.takes("[")) return this.#comparison(path);
    const filter = this.or(depth + 1);
    this.expect("]");
    const after = this.#peek();
    if (!after?.startsWith(".")) return { kind: "item", path, filter };
    return { kind: "item", path, filter: { kind: "all", filters: [filter, this.#comparison(this.part())] } };
  }

  #comparison(path: string): Filter {
    if (++this.#comparisons > maxComparisons)
      throw refusal("invalidFilter", `A filter has at most ${maxComparisons} comparisons.`);
    const word = this.#take()?.toLowerCase();
    if (word === "pr") return { kind: "present", path };
    const operator = operators.find((each) => each === word);
    if (!operator) throw this.#wrong("an operator such as eq");
    return { kind: "compare", path, operator, value: this.#value() };
  }

  #value(): string | number | boolean | null {
    const value = this.#take();
    try {
      if (value !== undefined) return JSON.parse(/^(true|false|null)$/i.test(value) ? value.toLowerCase() : value);
    } catch {
      // A word, or a text with escapes that JSON does not have.
    }
    throw this.#wrong('a value, such as "ada@example.com" in quotation marks');
  }

  path(): string {
    const path = this.#take();
    if (path === undefined || !/^[A-Za-z$]/.test(path)) throw this.#wrong("the name of an attribute");
    return plainPath(path);
  }

  /** The name of a part, after brackets. */
  part(): string {
    const part = this.#take();
    if (part === undefined || !/^\.[A-Za-z$]\w*$/.test(part)) throw this.#wrong("a part, such as .value");
    return part.slice(1).toLowerCase();
  }

  takes(word: string): boolean {
    if (this.#peek()?.toLowerCase() !== word) return false;
    this.#take();
    return true;
  }

  expect(word: string): void {
    if (!this.takes(word)) throw this.#wrong(`"${word}"`);
  }

  get isAtEnd(): boolean {
    return this.text.slice(this.#at).trim() === "";
  }

  end(): void {
    if (!this.isAtEnd) throw this.#wrong("the end");
  }

  #peek(): string | undefined {
    token.lastIndex = this.#at;
    const found = token.exec(this.text);
    return found?.slice(1).find((part) => part !== undefined);
  }

  #take(): string | undefined {
    const word = this.#peek();
    if (word !== undefined) this.#at = token.lastIndex;
    return word;
  }

  #wrong(expected: string) {
    return refusal(
      "invalidFilter",
      `The filter or path is not understood: ${expected} is missing before or at character ${this.#at}.`,
    );
  }
}

/** Attributes whose case counts. Source: RFC 7643, 3.1. */
const caseExact: ReadonlySet<string> = new Set(["id", "externalid"]);

/** Whether a resource, or an item of a list, fits. */
export function fits(filter: Filter, resource: unknown): boolean {
  switch (filter.kind) {
    case "all":
      return filter.filters.every((one) => fits(one, resource));
    case "any":
      return filter.filters.some((one) => fits(one, resource));
    case "not":
      return !fits(filter.filter, resource);
    case "present":
      return valuesAt(resource, filter.path).some((value) => value !== "");
    case "item":
      return itemsAt(resource, filter.path).some((item) => fits(filter.filter, item));
    case "compare": {
      const values = valuesAt(resource, filter.path);
      const isExact = caseExact.has(filter.path);
      if (filter.operator === "ne") return !values.some((value) => compares("eq", value, filter.value, isExact));
      if (filter.value === null) return filter.operator === "eq" && values.length === 0;
      return values.some((value) => compares(filter.operator, value, filter.value, isExact));
    }
    default:
      return filter satisfies never;
  }
}

/** The names that a filter compares, those of items behind their list's: `emails.value`. */
export function* pathsOf(filter: Filter, within = ""): Generator<string> {
  if ("filters" in filter) for (const one of filter.filters) yield* pathsOf(one, within);
  else if (filter.kind === "not") yield* pathsOf(filter.filter, within);
  else if (filter.kind === "item") yield* pathsOf(filter.filter, `${within}${filter.path}.`);
  else yield within + filter.path;
}

function compares(operator: Operator, value: unknown, other: unknown, isExact: boolean): boolean {
  if (typeof value === "boolean") return operator === "eq" && String(value) === String(other).toLowerCase();
  if (typeof value === "number") {
    const order = typeof other === "number" ? value - other : Number.NaN;
    return holds(operator, order);
  }
  if (typeof value !== "string" || other === null) return false;
  const [one, two] = isExact ? [value, String(other)] : [value.toLowerCase(), String(other).toLowerCase()];
  if (operator === "co") return one.includes(two);
  if (operator === "sw") return one.startsWith(two);
  if (operator === "ew") return one.endsWith(two);
  return holds(operator, one < two ? -1 : Number(one > two));
}

function holds(operator: Operator, order: number): boolean {
  if (operator === "eq") return order === 0;
  if (operator === "gt") return order > 0;
  if (operator === "ge") return order >= 0;
  if (operator === "lt") return order < 0;
  return operator === "le" && order <= 0;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What stands under a name, without its case. A list stands for each of its items. */
function itemsAt(resource: unknown, path: string): unknown[] {
  let values: unknown[] = [resource];
  for (const name of path.split("."))
    values = values.flatMap((value) =>
      isObject(value) ? Object.entries(value).flatMap(([key, inner]) => (key.toLowerCase() === name ? inner : [])) : [],
    );
  return values.filter((value) => value !== undefined && value !== null);
}

/** The same, where an object with a `value` stands for that. */
const valuesAt = (resource: unknown, path: string): unknown[] =>
  itemsAt(resource, path).flatMap((value) => (isObject(value) ? (value["value"] ?? []) : value));
