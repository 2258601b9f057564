import { Struct } from "superstruct";

/** What is asked of a struct here, whatever its schema. */
interface Branch<T> {
  readonly TYPE: T;
  is(value: unknown): boolean;
}

/**
 * A value that fits one of `structs`, none of which may coerce. The `union` of superstruct collects every failure of
 * every branch. A list of 20,000 wrong elements would block the event loop. This one asks each branch for yes or no.
 * Its schema is its branches.
 */
export function either<Values extends readonly unknown[]>(
  ...structs: { [Index in keyof Values]: Branch<Values[Index]> }
): Struct<Values[number], null> {
  return new Struct<Values[number], null>({
    type: "union",
    schema: structs as unknown as null,
    validator: (value) => structs.some((struct) => struct.is(value)),
  });
}
