import { Struct, type StructError } from "superstruct";
import { kindWords } from "./kind-words.ts";

/** What is asked of a struct here, whatever its schema. */
interface Branch<T> {
  readonly TYPE: T;
  readonly type: string;
  readonly schema: unknown;
  is(value: unknown): boolean;
  validate(value: unknown): [StructError, undefined] | [undefined, unknown];
}

/** By a struct's type, what it takes at most. */
const kinds: Readonly<Record<string, (value: unknown, schema: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  array: Array.isArray,
  tuple: Array.isArray,
  object: (value) => typeof value === "object",
  type: (value) => typeof value === "object",
  record: (value) => typeof value === "object",
  literal: (value, schema) => value === schema,
  enums: (value, schema) => typeof schema !== "object" || Object.hasOwn(schema ?? {}, String(value)),
};

/** Whether a value may fit. To find out that one does not takes ten times as long, for an error is made. */
const isOfKind = (value: unknown, { type, schema }: { readonly type: string; readonly schema: unknown }): boolean =>
  value === null || value === undefined || kinds[type]?.(value, schema) !== false;

/**
 * A value that fits one of `structs`, none of which may coerce. The `union` of superstruct collects every failure of
 * every branch. A list of 20,000 wrong elements would block the event loop. This one asks each branch for yes or no,
 * and then for its first failure. Its schema is its branches.
 */
export function either<Values extends readonly unknown[]>(
  ...structs: { [Index in keyof Values]: Branch<Values[Index]> }
): Struct<Values[number], null> {
  return new Struct<Values[number], null>({
    type: "union",
    schema: structs as unknown as null,
    validator: (value, { path: place }) => {
      if (structs.some((struct) => isOfKind(value, struct) && struct.is(value))) return true;
      const failures = structs.flatMap((struct) => struct.validate(value)[0] ?? []);
      // It was of the branch's kind, and failed within, or for its size.
      const near = failures.find(({ path, refinement }) => path.length > 0 || refinement !== undefined);
      if (near === undefined) return { message: [...new Set(structs.flatMap(wordsOf))].join(" or ") };
      const { type, refinement, path, value: found } = near;
      return { type, refinement, message: ownWords(near), path: [...place, ...path], value: found };
    },
  });
}

/** A failure's message, behind the place that it begins with. */
export const ownWords = ({ path, message }: StructError): string =>
  path.length === 0 ? message : message.slice(`At path: ${path.join(".")} -- `.length);

/** What a branch takes, in words. */
function wordsOf({ type, schema }: Branch<unknown>): string[] {
  if (type === "union" && Array.isArray(schema)) return schema.flatMap(wordsOf);
  if (type === "literal") return [JSON.stringify(schema)];
  if (type === "enums" && schema) return Object.values(schema).map((value) => JSON.stringify(value));
  return [kindWords(type)];
}
