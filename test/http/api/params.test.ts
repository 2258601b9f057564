/**
 * Every declared parameter against what it was not made for: a value or a clear error. What it costs is measured in
 * bench/.
 */
import { describe, expect, it } from "vitest";
import { ApiError } from "../../../actors/errors.ts";
import type { JsonSchema } from "../../../actors/shape.ts";
import { hostileValues } from "../../../bench/hostile/bodies.ts";
import type { Param } from "../../../http/api/params.ts";
import { routes } from "../../../http/api/routes.ts";

/** One parameter of each kind: those of one schema share a decoder. */
const kinds = new Map<string, { name: string; param: Param<unknown> }>();
for (const route of routes) {
  for (const [name, param] of Object.entries(route.params)) {
    const kind = JSON.stringify([param.isPath, param.isRequired, { ...param.schema, description: "" }]);
    if (!kinds.has(kind)) kinds.set(kind, { name: `${route.method} ${route.path}: ${name}`, param });
  }
}
const all = [...kinds.values()].map(({ name, param }) => [name, param] as const);

/** What the parameter makes of the text. @throws whatever is no error for a client */
function read(param: Param<unknown>, raw: string): { value: unknown } | ApiError {
  try {
    return { value: param.read("it", new Map([["it", raw]])) };
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

describe.each(all)("%s", (_name, param) => {
  it("takes anything as a value or refuses it with a clear error", () => {
    for (const [what, raw] of Object.entries(hostileValues)) {
      const answer = read(param, raw);
      if (answer instanceof ApiError) expect(answer.message.length, what).toBeGreaterThan(0);
    }
  });
});

/** Of those, the ones for which a JSON text of another type is plainly wrong. */
const typed = all.map(([name, param]) => [name, param, wrongFor(param.schema)] as const);
describe.each(typed.filter(([, , wrong]) => wrong.length > 0))("%s", (_name, param, wrong) => {
  it("refuses JSON of another type with BAD_REQUEST", () => {
    for (const raw of wrong) {
      const answer = read(param, raw);
      expect(answer, raw).toBeInstanceOf(ApiError);
      expect((answer as ApiError).status, raw).toBe(400);
    }
  });
});

const integers = all.filter(([, { schema }]) => schema.type === "integer" && schema["nullable"] === undefined);
describe.each(integers)("%s", (_name, param) => {
  it("takes no whole number but one that is written as such, and not too large", () => {
    for (const raw of ["9007199254740993", `1${"0".repeat(30)}`, "1.0", "1e3", "0x10", "NaN", "-", "1 2", "١", '"1"'])
      expect(read(param, raw), raw).toBeInstanceOf(ApiError);
  });
});

/** JSON texts of the types that a schema does not have. */
function wrongFor(schema: JsonSchema): string[] {
  const samples: Record<string, string> = {
    integer: "7",
    boolean: "true",
    array: "[[[]]]",
    object: '{"no such field":{}}',
  };
  // Where any text will do, and where the schema is a choice, nothing is plainly wrong.
  if (schema.type === undefined || (schema.type === "string" && schema["enum"] === undefined && !schema["nullable"]))
    return [];
  const words = (schema["enum"] ?? []) as unknown[];
  return Object.entries(samples).flatMap(([type, raw]) => (type === schema.type || words.includes(raw) ? [] : [raw]));
}
