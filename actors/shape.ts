/**
 * JSON Schema of a superstruct struct, so that one declaration gives a value's decoder, its TypeScript type and its
 * part of the OpenAPI document. A struct's `type` and `schema` tell what it takes. Whether it takes `undefined` or
 * `null` is tried out. A refinement does not tell its numbers, so `annotated` adds what JSON Schema can say of it.
 */
import { type object, optional, type partial, Struct } from "superstruct";
import { defined } from "../storage/failures.ts";

export interface JsonSchema {
  type?: string;
  [keyword: string]: unknown;
}

/** What is asked of a struct here, whatever its values are. */
export interface Shape {
  readonly TYPE: unknown;
  readonly type: string;
  readonly schema: unknown;
  is(value: unknown): boolean;
}

/** The values of an object with these members. One that may be undefined may be left out. */
export type ValuesOf<S extends Record<string, Shape>> = {
  [K in keyof S as undefined extends S[K]["TYPE"] ? never : K]: S[K]["TYPE"];
} & { [K in keyof S as undefined extends S[K]["TYPE"] ? K : never]?: S[K]["TYPE"] };

class AnnotatedStruct<T, S> extends Struct<T, S> {
  constructor(
    struct: Struct<T, S>,
    readonly keywords: JsonSchema,
  ) {
    super(struct);
  }
}

/**
 * The same struct, with this added to its JSON Schema. It must be the outermost call: a struct made from it loses it.
 */
export function annotated<T, S>(struct: Struct<T, S>, keywords: JsonSchema): Struct<T, S> {
  return new AnnotatedStruct(struct, keywords);
}

/** The same struct, with what its values mean: a sentence for the API's description. Outermost, as `annotated` is. */
export function described<T, S>(struct: Struct<T, S>, description: string): Struct<T, S> {
  return annotated(struct, { ...(struct instanceof AnnotatedStruct && struct.keywords), description });
}

/** The same struct, which also takes undefined: for a member that may be left out. It keeps what `annotated` added. */
export function mayBeLeftOut<T, S>(struct: Struct<T, S>): Struct<T | undefined, S> {
  const shape = optional(struct);
  return struct instanceof AnnotatedStruct ? annotated(shape, struct.keywords) : shape;
}

type Fields = Parameters<typeof object>[0];

/** The same fields, each of which may be left out. They keep what `annotated` added. */
export function partially<F extends Fields>(fields: F): ReturnType<typeof partial<F>>["schema"] {
  const some = Object.entries<Struct<unknown, unknown>>(fields).map(([name, field]) => [name, mayBeLeftOut(field)]);
  return Object.fromEntries(some) as ReturnType<typeof partial<F>>["schema"];
}

/** @throws Error for a struct without a JSON Schema: when the table of routes is made, so at the start */
export function schemaOf(shape: Shape): JsonSchema {
  const keywords = shape instanceof AnnotatedStruct ? shape.keywords : {};
  const type = typeOf(shape, keywords);
  const isTold = shape.type === "unknown" || shape.type === "any" || type.type === "null";
  return { ...type, ...(!isTold && takes(shape, null) && { nullable: true }), ...keywords };
}

function typeOf(shape: Shape, keywords: JsonSchema): JsonSchema {
  const { type, schema } = shape;
  switch (type) {
    case "unknown":
    case "any":
      return {};
    case "string":
    case "integer":
    case "number":
    case "boolean":
      return { type };
    case "literal":
      return schema === null ? { type: "null" } : choice([schema]);
    case "enums":
      return choice(Object.values(schema as Record<string, unknown>));
    case "array":
      return { type, items: schemaOf(schema as Shape) };
    case "record":
      return { type: "object", additionalProperties: schemaOf(valueShape(shape)) };
    case "object":
      return { ...properties(schema as Record<string, Shape>), additionalProperties: false };
    case "type":
      return properties(schema as Record<string, Shape>);
    case "union":
      if (Array.isArray(schema)) return { oneOf: schema.map(schemaOf) };
  }
  if (Object.keys(keywords).length > 0) return {};
  throw new Error(`There is no JSON Schema for a struct of type ${type}.`);
}

function choice(values: readonly unknown[]): JsonSchema {
  return { type: typeof values[0] === "number" ? "integer" : typeof values[0], enum: values };
}

function properties(shapes: Record<string, Shape>): JsonSchema {
  const required = Object.keys(shapes).filter((name) => isRequired(defined(shapes[name], "shape")));
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, schemaOf(shape)])),
    ...(required.length > 0 && { required }),
  };
}

/** Whether a field of this shape is always there. */
export function isRequired(shape: Shape): boolean {
  return !takes(shape, undefined);
}

/** Whether a struct takes this value. `is` would make an error of each refusal, which costs more than all the rest. */
function takes(shape: Shape, value: null | undefined): boolean {
  const [failure] = (shape as Struct).validator(value, { branch: [value], path: [] });
  return failure === undefined && shape.is(value);
}

/**
 * A record does not tell the struct of its values. For a record with one member it lists the structs of key and value.
 */
function valueShape(record: Shape): Shape {
  const [, value] = [...(record as Struct).entries({ name: 1 }, undefined as never)];
  return value![2];
}
