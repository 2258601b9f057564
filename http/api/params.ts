/**
 * Parameters: where they come from (query, urlencoded and multipart bodies, of any method) and how each is decoded. A
 * text is taken as it is, every other type is JSON in the text of one field. From the same declarations come the list
 * of parameters an endpoint does not know and the OpenAPI document.
 */
import { create, type Struct, StructError } from "superstruct";
import { ownWords } from "../../actors/either.ts";
import { badRequest, errors } from "../../actors/errors.ts";
import { kindWords } from "../../actors/kind-words.ts";
import { type JsonSchema, schemaOf } from "../../actors/shape.ts";
import { readJsonText } from "../../actors/text/read-json.ts";
import { isLonger, isStorable } from "../../actors/text/texts.ts";
import { defined } from "../../storage/failures.ts";
import { decodeField, detached } from "../server/percent-decoding.ts";

type Decode<T> = (raw: string, name: string) => T;

/** One declared parameter. */
export class Param<T> {
  constructor(
    private readonly decoder: Decode<T>,
    readonly schema: JsonSchema,
    private readonly rules: {
      isRequired: boolean;
      fallback?: () => T;
      aliases: readonly string[];
      isText: boolean;
      isPath?: boolean;
      /** Characters of a value, before anything is made of it. */
      maxLength: number;
    },
  ) {}

  get isPath(): boolean {
    return this.rules.isPath ?? false;
  }
  get isRequired(): boolean {
    return this.rules.isRequired;
  }
  /** Characters that a value may have, before anything is made of it; undefined where a few words are all there is. */
  get maxLength(): number | undefined {
    const isWord = Array.isArray(this.schema["enum"]) || ["boolean", "integer"].includes(String(this.schema["type"]));
    return isWord ? undefined : this.rules.maxLength;
  }
  get aliases(): readonly string[] {
    return this.rules.aliases;
  }

  /** May be left out, or, unless it is a text, be `null`. */
  optional(): Param<T | undefined> {
    return new Param<T | undefined>(this.decoder, this.schema, {
      ...this.rules,
      isRequired: false,
      fallback: () => undefined,
    });
  }

  default(value: T): Param<T> {
    return new Param(
      this.decoder,
      { ...this.schema, default: value },
      { ...this.rules, isRequired: false, fallback: () => value },
    );
  }

  /** Other names by which clients know it. */
  alias(...names: string[]): Param<T> {
    return new Param(this.decoder, this.schema, { ...this.rules, aliases: names });
  }

  /** Takes longer values, or only shorter ones, than parameters do by default. */
  atMost(maxLength: number): Param<T> {
    return new Param(this.decoder, this.schema, { ...this.rules, maxLength });
  }

  /** Has a value looked at once more: `check` throws what is wrong with it. */
  checked(check: (value: T) => void): Param<T> {
    const decode: Decode<T> = (raw, name) => {
      const value = this.decoder(raw, name);
      check(value);
      return value;
    };
    return new Param(decode, this.schema, this.rules);
  }

  /** Tells of the values, in the API's description, what is checked elsewhere. */
  declares(keywords: JsonSchema | Record<string, unknown>): Param<T> {
    return new Param(this.decoder, { ...this.schema, ...keywords }, this.rules);
  }

  describe(description: string): Param<T> {
    return new Param(this.decoder, { ...this.schema, description }, this.rules);
  }

  /** @throws REQUEST_VARIABLE_MISSING, or what is wrong with the value */
  read(name: string, values: ReadonlyMap<string, string>): T {
    let raw = values.get(name);
    let found = raw === undefined ? undefined : name;
    for (const alias of this.rules.aliases) {
      const other = values.get(alias);
      if (other === undefined) continue;
      if (found !== undefined) throw errors.REQUEST_CONFUSING_VAR({ var_name1: found, var_name2: alias });
      raw = other;
      found = alias;
    }
    if (
      raw === undefined ||
      (!this.rules.isText && !this.rules.isRequired && raw.trim() === "null" && !this.schema["nullable"])
    ) {
      if (this.rules.fallback) return this.rules.fallback();
      throw errors.REQUEST_VARIABLE_MISSING({ var_name: name });
    }
    if (isLonger(raw, this.rules.maxLength)) throw tooLong(name, this.rules.maxLength);
    return this.decoder(raw, name);
  }
}

const tooLong = (name: string, maxLength: number) => badRequest(`${name} is too long (limit: ${maxLength} characters)`);

/** Characters of a text, number or word that says nothing else. */
export const maxTextLength = 10_000;
/** Characters of a JSON value that says nothing else: more than the longest list of ids has. */
export const maxJsonLength = 500_000;
/** Bytes of a body, unless its route says otherwise. */
export const defaultMaxBodyBytes = 4 * 1024 * 1024;

const noAliases: readonly string[] = [];
const required = { isRequired: true, aliases: noAliases, maxLength: maxTextLength };

function define<T>(
  schema: JsonSchema,
  decode: Decode<T>,
  rules: { isText?: boolean; maxLength?: number } = {},
): Param<T> {
  return new Param(decode, schema, { ...required, isText: false, ...rules });
}

/** JSON of a field. Every text in it, keys too, can be stored. @throws SyntaxError, BAD_REQUEST */
function decodeJson(raw: string, name: string): unknown {
  // Only a text that was escaped can hide these; the decoder of the field has looked for plain ones.
  if (!/\\u(0000|[dD][89a-fA-F])/.test(raw)) return readJsonText(raw);
  return readJsonText(raw, (key, value) => {
    checkStorable(key, name);
    if (typeof value === "string") checkStorable(value, name);
    return value;
  });
}

/** @throws BAD_REQUEST */
function checkStorable(text: string, name: string): void {
  if (isStorable(text)) return;
  throw badRequest(
    text.includes("\0")
      ? `Null bytes are not allowed in ${name.replaceAll("\0", "")}`
      : `${name} has half of a character (an unpaired surrogate), which is no text`,
  );
}

/** `decodeJson` for a field that nothing but JSON fits. @throws BAD_REQUEST */
export function parseJson(raw: string, name: string): unknown {
  try {
    return decodeJson(raw, name);
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(`Argument "${name}" is not valid JSON.`);
    throw error;
  }
}

/** A text, as it is. */
export function text(options: { minLength?: number; maxLength?: number } = {}): Param<string> {
  return define(
    { type: "string", ...options },
    (raw, name) => {
      if (options.minLength !== undefined && raw.length < options.minLength)
        throw badRequest(`${name} cannot be empty`);
      return raw;
    },
    { isText: true, maxLength: options.maxLength ?? maxTextLength },
  );
}

/** A text that is cut where it is too long and not refused: as much of it as a body holds. */
export function cutText(): Param<string> {
  return text().atMost(defaultMaxBodyBytes);
}

export function bool(): Param<boolean> {
  return define({ type: "boolean" }, (raw, name) => {
    // Some clients write Python's names.
    const value = raw.trim().toLowerCase();
    if (value === "true") return true;
    if (value === "false") return false;
    throw badRequest(`${name} is not a boolean`);
  });
}

const integerPattern = /^-?\d{1,15}$/;

/** A whole number, or an id of some kind. */
export function int<N extends number = number>(
  options: { min?: number | undefined; max?: number | undefined } = {},
): Param<N> {
  const schema: JsonSchema = {
    type: "integer",
    ...(options.min !== undefined && { minimum: options.min }),
    ...(options.max !== undefined && { maximum: options.max }),
  };
  return define(schema, (raw, name) => {
    if (!integerPattern.test(raw.trim())) throw badRequest(`${name} is not an integer`);
    const value = Number(raw);
    if (options.min !== undefined && value < options.min) throw badRequest(`${name} is too small`);
    if (options.max !== undefined && value > options.max) throw badRequest(`${name} is too large`);
    return value as N;
  });
}

/** A count that older endpoints parse with their own error. @throws REQUEST_VARIABLE_INVALID */
export function count(): Param<number> {
  return define({ type: "integer", minimum: 0 }, (raw, name) => {
    if (!/^\d{1,15}$/.test(raw.trim())) throw errors.REQUEST_VARIABLE_INVALID({ var_name: name, bad_value: raw });
    return Number(raw);
  });
}

export function oneOf<T extends string>(...words: readonly T[]): Param<T> {
  return define({ type: "string", enum: words }, (raw, name) => {
    // Clients that send every value as JSON put quotes around it.
    const word = raw.startsWith('"') && raw.endsWith('"') && raw.length > 1 ? raw.slice(1, -1) : raw;
    const found = words.find((one) => one === word);
    if (found !== undefined) return found;
    throw badRequest(`Invalid ${name}`);
  });
}

export function oneOfNumbers<T extends number>(...numbers: readonly T[]): Param<T> {
  return define({ type: "integer", enum: numbers }, (raw, name) => {
    // `Number` alone would also take 4e2 and 0x190.
    const value = integerPattern.test(raw.trim()) ? Number(raw) : undefined;
    const found = numbers.find((one) => one === value);
    if (found !== undefined) return found;
    throw badRequest(`Invalid ${name}`);
  });
}

/** JSON of a declared shape. */
export function json<T, S>(struct: Struct<T, S>): Param<T> {
  return define(
    schemaOf(struct),
    (raw, name) => {
      const value = parseJson(raw, name);
      try {
        return create(value, struct);
      } catch (error) {
        if (error instanceof StructError) throw badRequest(describeMismatch(name, error));
        throw error;
      }
    },
    { maxLength: maxJsonLength },
  );
}

/** What is no JSON, and is not tried as such: an exception costs as much as all else about a short request. */
const bareWord = /^(?!(?:true|false|null)$)[a-z_]+$/;

/** JSON, or else the text itself: for parameters that take a number or a word. As JSON, `null` is no word. */
export function jsonOrText<T, S>(struct: Struct<T, S>): Param<T> {
  return define(
    schemaOf(struct),
    (raw, name) => {
      let value: unknown = raw;
      try {
        if (!bareWord.test(raw)) value = decodeJson(raw, name);
      } catch (error) {
        // Else a bare word.
        if (!(error instanceof SyntaxError)) throw error;
      }
      try {
        return create(value, struct);
      } catch (error) {
        if (error instanceof StructError) throw badRequest(describeMismatch(name, error));
        throw error;
      }
    },
    { maxLength: maxJsonLength },
  );
}

/** A whole number in the path, or an id of some kind. */
export function pathInt<N extends number = number>(): Param<N> {
  return new Param<N>(
    (raw, name) => {
      if (!/^\d{1,15}$/.test(raw)) throw badRequest(`Invalid ${name}`);
      return Number(raw) as N;
    },
    { type: "integer" },
    { ...required, isText: false, isPath: true },
  );
}

/** A decoded part of the path. */
export function pathText(): Param<string> {
  return new Param<string>((raw) => raw, { type: "string" }, { ...required, isText: true, isPath: true });
}

/** One sentence about the first thing that does not fit. */
function describeMismatch(name: string, error: StructError): string {
  const { path, type, refinement, value } = error;
  const place = `${name}${path.map((step) => (typeof step === "number" ? `[${step}]` : `["${String(step)}"]`)).join("")}`;
  if (type === "never") return `${place} is not a known field`;
  if (value === undefined) return `${place} is missing`;
  // A union says itself of what kinds it is.
  if (type === "union") return `${place} is not ${ownWords(error)}`;
  return `${place} is not ${kindWords(refinement ?? type)}`;
}

export type ParamsSpec = Record<string, Param<unknown>>;
export type ParamsOf<P extends ParamsSpec> = { [N in keyof P]: P[N] extends Param<infer T> ? T : never };

/** Every name by which an endpoint takes a field; parts of its path are no fields. */
function fieldNames(spec: ParamsSpec): Set<string> {
  const names = new Set<string>();
  for (const [name, param] of Object.entries(spec)) {
    if (param.isPath) continue;
    names.add(name);
    for (const alias of param.aliases) names.add(alias);
  }
  return names;
}

/** Decodes what an endpoint declares. Also says which of the names that were sent it does not know. */
export function readParams<P extends ParamsSpec>(
  spec: P,
  sent: ReadonlyMap<string, string>,
  path: ReadonlyMap<string, string>,
): { params: ParamsOf<P>; ignored: string[] } {
  // On the path of every request: a set of names is only made when one is not plainly known.
  const params: Record<string, unknown> = {};
  for (const name in spec) {
    const param = defined<Param<unknown>>(spec[name], "such param");
    params[name] = param.read(name, param.isPath ? path : sent);
  }
  let ignored: string[] = [];
  let names: Set<string> | undefined;
  for (const name of sent.keys()) {
    if (Object.hasOwn(spec, name) && !spec[name]?.isPath) continue;
    names ??= fieldNames(spec);
    if (!names.has(name)) ignored.push(name);
  }
  if (ignored.length > 1) ignored = ignored.sort();
  return { params: params as ParamsOf<P>, ignored };
}

/** Puts the fields that no parameter takes into one of them, as a JSON object; nothing where there are none. */
export function gatherRest(spec: ParamsSpec, sent: Map<string, string>, name: string): void {
  const names = fieldNames(spec);
  const rest = [...sent].filter(([field]) => !names.has(field));
  if (rest.length === 0) return;
  for (const [field] of rest) sent.delete(field);
  sent.set(name, JSON.stringify(Object.fromEntries(rest)));
}

/** Fields of one body: no endpoint has a hundred. */
export const maxFields = 1000;

/** Adds the fields of a query string or urlencoded body. @throws BAD_REQUEST for bytes that are no text */
export function addUrlencoded(fields: Map<string, string>, source: string): void {
  for (let from = 0, parts = 0; from < source.length; parts++) {
    if (parts === maxFields) throw badRequest("The request has too many fields.");
    const next = source.indexOf("&", from);
    const part = source.slice(from, next < 0 ? source.length : next);
    from += part.length + 1;
    if (part === "") continue;
    const equals = part.indexOf("=");
    const name = detached(decodeField(equals < 0 ? part : part.slice(0, equals)), source);
    fields.set(name, equals < 0 ? "" : detached(checkText(decodeField(part.slice(equals + 1)), name), source));
  }
}

/** A field's text, which can be stored. @throws BAD_REQUEST */
export function checkText(value: string, name: string): string {
  checkStorable(value, name);
  return value;
}
