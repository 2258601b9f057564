import {
  array,
  boolean,
  enums,
  integer,
  literal,
  nullable,
  number,
  object,
  optional,
  pattern,
  record,
  size,
  string,
  tuple,
  type,
} from "superstruct";
import { describe, expect, it } from "vitest";
import { either } from "../../actors/either.ts";

const branches = {
  string: string(),
  pattern: pattern(string(), /^a/),
  integer: integer(),
  number: number(),
  boolean: boolean(),
  array: array(integer()),
  sized: size(array(string()), 1, 2),
  tuple: tuple([string(), integer()]),
  object: object({ a: integer() }),
  type: type({ a: integer() }),
  record: record(string(), integer()),
  literal: literal("mobile"),
  number5: literal(5),
  enums: enums(["newest", "oldest"]),
  numbers: enums([5, 7]),
  nullable: nullable(string()),
  optional: optional(integer()),
  union: either(boolean(), array(string())),
};
const values = [
  ...["", "a", "mobile", "newest", "5", "toString", 5, 7, 1.5, Number.NaN, true, false, null, undefined],
  ...[[], [1], ["a"], ["a", 1], ["a", "b", "c"], {}, { a: 1 }, { a: "x" }, { a: 1, b: 2 }],
];

describe("either", () => {
  it.each(Object.entries(branches))("takes what its branch %s takes, and nothing else", (_, branch) => {
    const never = literal(Symbol("nothing is this"));
    for (const value of values) expect(either(never, branch).is(value), String(value)).toBe(branch.is(value));
  });
});
