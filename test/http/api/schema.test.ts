import {
  array,
  boolean,
  define,
  enums,
  integer,
  literal,
  nullable,
  object,
  optional,
  record,
  size,
  string,
  type,
  unknown,
} from "superstruct";
import { describe, expect, it } from "vitest";
import { either } from "../../../actors/either.ts";
import { annotated, partially, schemaOf } from "../../../actors/shape.ts";

describe("the JSON Schema of a struct", () => {
  it("has the fields of an object, and tells which may be left out or null", () => {
    expect(schemaOf(object({ id: integer(), name: nullable(string()), note: optional(nullable(string())) }))).toEqual({
      type: "object",
      properties: {
        id: { type: "integer" },
        name: { type: "string", nullable: true },
        note: { type: "string", nullable: true },
      },
      required: ["id", "name"],
      additionalProperties: false,
    });
    expect(schemaOf(type({ id: optional(integer()) }))).toEqual({
      type: "object",
      properties: { id: { type: "integer" } },
    });
  });

  it("goes into lists, records and choices", () => {
    expect(schemaOf(array(record(string(), boolean())))).toEqual({
      type: "array",
      items: { type: "object", additionalProperties: { type: "boolean" } },
    });
    expect(schemaOf(either(enums([1, 2]), literal("mobile"), array(unknown())))).toEqual({
      oneOf: [
        { type: "integer", enum: [1, 2] },
        { type: "string", enum: ["mobile"] },
        { type: "array", items: {} },
      ],
    });
  });

  it("of null takes nothing else", () => {
    expect(schemaOf(object({ user_id: literal(null) }))).toMatchObject({ properties: { user_id: { type: "null" } } });
    expect(schemaOf(literal(null))).toEqual({ type: "null" });
  });

  it("keeps what is told of fields that may now be left out", () => {
    const some = object(partially({ id: annotated(integer(), { minimum: 1 }), name: string() }));
    expect(schemaOf(some)).toEqual({
      type: "object",
      properties: { id: { type: "integer", minimum: 1 }, name: { type: "string" } },
      additionalProperties: false,
    });
    expect(some.is({ name: "x" })).toBe(true);
    expect(some.is({ id: "x" })).toBe(false);
  });

  it("sees through refinements, and says of them what is told", () => {
    expect(schemaOf(size(array(integer()), 0, 3))).toEqual({ type: "array", items: { type: "integer" } });
    expect(schemaOf(annotated(size(array(integer()), 0, 3), { maxItems: 3 }))).toEqual({
      type: "array",
      items: { type: "integer" },
      maxItems: 3,
    });
    expect(annotated(size(array(integer()), 0, 1), { maxItems: 1 }).is([1, 2])).toBe(false);
  });

  it("is missing for a struct that nothing can be said of: that stops the start", () => {
    const odd = define<string>("odd", () => true);
    expect(() => schemaOf(array(odd))).toThrow("There is no JSON Schema for a struct of type odd.");
    expect(schemaOf(annotated(odd, { type: "string" }))).toMatchObject({ type: "string" });
  });
});
