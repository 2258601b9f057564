/**
 * Types of fields as they are public at level 497, in `test/data/api-497/`; `README.md` there tells how they are
 * written. A value or a schema is held against one, and what does not fit is told a line each.
 */
import { readFileSync } from "node:fs";

interface ListType {
  kind: "list";
  of: PublicType;
}
interface MapType {
  kind: "map";
  of: PublicType;
}
interface ObjectType {
  kind: "object";
  fields: ReadonlyMap<string, PublicType>;
}
type PublicType =
  | { kind: "anything" | "integer" | "number" | "string" | "boolean" }
  | ListType
  | MapType
  | ObjectType
  | { kind: "either"; choices: readonly PublicType[] }
  | { kind: "nullable"; of: PublicType }
  | { kind: "named"; name: string };

const letters: Readonly<Record<string, PublicType>> = {
  i: { kind: "integer" },
  n: { kind: "number" },
  s: { kind: "string" },
  b: { kind: "boolean" },
  x: { kind: "anything" },
};

/** Reads a type, or a list of fields, from its beginning on. */
class TypeReader {
  #at = 0;

  constructor(private readonly text: string) {}

  /** `name:type` again and again, with `separator` between them. */
  fields(separator: string, end: string): ReadonlyMap<string, PublicType> {
    const found = new Map<string, PublicType>();
    while (this.#at < this.text.length && !this.#takes(end)) {
      this.#takes(separator);
      const name = this.#word();
      this.#need(":");
      found.set(name, this.type());
    }
    return found;
  }

  type(): PublicType {
    const found = this.#bare();
    return this.#takes("?") ? { kind: "nullable", of: found } : found;
  }

  #bare(): PublicType {
    if (this.#takes("[")) return this.#closed({ kind: "list", of: this.type() }, "]");
    if (this.#takes("{*")) return this.#closed({ kind: "map", of: this.type() }, "}");
    if (this.#takes("{")) return { kind: "object", fields: this.fields(" ", "}") };
    if (this.#takes("(")) {
      const choices = [this.type()];
      while (this.#takes("|")) choices.push(this.type());
      return this.#closed({ kind: "either", choices }, ")");
    }
    const name = this.#word();
    return letters[name] ?? { kind: "named", name };
  }

  #closed(type: PublicType, end: string): PublicType {
    this.#need(end);
    return type;
  }

  #takes(text: string): boolean {
    if (text === "" || !this.text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #need(text: string): void {
    if (!this.#takes(text)) throw new Error(`"${text}" is missing at ${this.#at} of "${this.text}"`);
  }

  #word(): string {
    const word = /^\w+/.exec(this.text.slice(this.#at))?.[0];
    if (word === undefined) throw new Error(`a name is missing at ${this.#at} of "${this.text}"`);
    this.#at += word.length;
    return word;
  }
}

function linesOf(file: string): [name: string, text: string][] {
  const lines = readFileSync(new URL(`../../data/api-497/${file}`, import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => {
    const bar = line.indexOf("|");
    return [line.slice(0, bar).trim(), line.slice(bar + 1).trim()];
  });
}

const typed = (file: string) =>
  new Map(linesOf(file).map(([name, text]) => [name, new TypeReader(text).fields(",", "")] as const));

const objects = new Map(linesOf("objects.txt").map(([name, text]) => [name, new TypeReader(text).type()] as const));
/** Fields of a success answer, by `METHOD /path`. */
export const publicAnswers = typed("answers.txt");
/** Fields of an event, by `type` or `type/op`. */
export const publicEvents = typed("events.txt");

/** Names of the fields of a public object. */
export function publicObjectFields(name: string): string[] {
  const type = named(name);
  return type.kind === "object" ? [...type.fields.keys()] : [];
}

const named = (name: string): PublicType => {
  const type = objects.get(name);
  if (!type) throw new Error(`there is no object called ${name}`);
  return type;
};

const kindOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "list" : Number.isInteger(value) ? "integer" : typeof value;

/** What of a value does not fit. A field that may be left out may be missing. */
export function misfits(type: PublicType, value: unknown, path: string): string[] {
  switch (type.kind) {
    case "anything":
      return [];
    case "named":
      return misfits(named(type.name), value, path);
    case "nullable":
      return value === null ? [] : misfits(type.of, value, path);
    case "either":
      return closest(type.choices.map((choice) => misfits(choice, value, path)));
    case "list":
      if (!Array.isArray(value)) return [`${path}: ${kindOf(value)}, not list`];
      return value.flatMap((item) => misfits(type.of, item, `${path}[]`));
    case "map":
    case "object":
      if (kindOf(value) !== "object") return [`${path}: ${kindOf(value)}, not object`];
      return Object.entries(value as object).flatMap(([name, entry]) => {
        if (type.kind === "map") return misfits(type.of, entry, `${path}{}`);
        const field = type.fields.get(name);
        return field ? misfits(field, entry, `${path}.${name}`) : [`${path}.${name}: not public`];
      });
    default: {
      const kind = kindOf(value);
      return kind === type.kind || (type.kind === "number" && kind === "integer")
        ? []
        : [`${path}: ${kind}, not ${type.kind}`];
    }
  }
}

const closest = (all: readonly string[][]): string[] =>
  all.reduce((one, other) => (other.length < one.length ? other : one));

export interface Schema {
  /** With `null` beside another type for what may be null. */
  type?: string | string[];
  enum?: unknown[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  items?: Schema | false;
  prefixItems?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
}

/** What values that fit the schema may be, and the type does not have. */
export function schemaMisfits(type: PublicType, schema: Schema, path: string): string[] {
  if (type.kind === "anything") return [];
  if (type.kind === "named") return schemaMisfits(named(type.name), schema, path);
  const types = [schema.type ?? []].flat();
  const bare: Schema = { ...schema, type: types.find((one) => one !== "null") ?? "anything" };
  if (type.kind === "nullable") return schemaMisfits(type.of, withoutNull(bare), path);
  if (types.includes("null")) return [`${path}: null`, ...schemaMisfits(type, withoutNull(bare), path)];
  return bareMisfits(type, bare, path);
}

/** The schema of the same values without null. */
function withoutNull(schema: Schema): Schema {
  const { oneOf, anyOf, enum: values } = schema;
  const isNull = ({ type, enum: only }: Schema) => type === "null" || (only?.length === 1 && only[0] === null);
  return {
    ...schema,
    ...(oneOf && { oneOf: oneOf.filter((one) => !isNull(one)) }),
    ...(anyOf && { anyOf: anyOf.filter((one) => !isNull(one)) }),
    ...(values && { enum: values.filter((value) => value !== null) }),
  };
}

function bareMisfits(type: PublicType, schema: Schema, path: string): string[] {
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return choices.flatMap((choice) => schemaMisfits(type, choice, path));
  if (schema.enum) return schema.enum.flatMap((value) => misfits(type, value, path));
  if (type.kind === "either") return closest(type.choices.map((choice) => schemaMisfits(choice, schema, path)));
  if (type.kind === "list" && schema.type === "array") {
    const items = schema.prefixItems ?? [schema.items || {}];
    return items.flatMap((item) => schemaMisfits(type.of, item, `${path}[]`));
  }
  if (schema.type === "object" && (type.kind === "map" || type.kind === "object"))
    return objectMisfits(type, schema, path);
  const fits = schema.type === type.kind || (type.kind === "number" && schema.type === "integer");
  return fits ? [] : [`${path}: ${String(schema.type)}, not ${type.kind}`];
}

function objectMisfits(
  type: MapType | ObjectType,
  { properties = {}, additionalProperties }: Schema,
  path: string,
): string[] {
  const fields = Object.entries(properties).flatMap(([name, field]) => {
    const public497 = type.kind === "map" ? type.of : type.fields.get(name);
    return public497 ? schemaMisfits(public497, field, `${path}.${name}`) : [`${path}.${name}: not public`];
  });
  if (typeof additionalProperties !== "object") return fields;
  if (type.kind === "map") return [...fields, ...schemaMisfits(type.of, additionalProperties, `${path}{}`)];
  return [...fields, `${path}: any names, not these`];
}

/** What of a live event does not fit. `id`, `type` and `op` are every event's. */
export function eventMisfits(kind: string, event: object): string[] {
  const fields = publicEvents.get(kind);
  if (!fields) return [];
  const { id: _id, type: _type, op: _op, ...own } = event as Record<string, unknown>;
  return misfits({ kind: "object", fields }, own, kind);
}

/** What of a live answer does not fit. */
export function answerMisfits(name: string, answer: object): string[] {
  const fields = publicAnswers.get(name);
  if (!fields) return [];
  const {
    result: _result,
    msg: _msg,
    ignored_parameters_unsupported: _ignored,
    ...own
  } = answer as Record<string, unknown>;
  return Object.entries(own).flatMap(([field, value]) => {
    const type = fields.get(field);
    return type ? misfits(type, value, `${name} ${field}`) : [`${name} ${field}: not public`];
  });
}
