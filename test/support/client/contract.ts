/**
 * Holds answers of a live server against what its route table says it returns. `startTestServer` puts it behind every
 * client that it makes, so each test of the suite checks the contract on the way.
 */
import { successSchema } from "../../../http/api/openapi.ts";
import type { Route } from "../../../http/api/route.ts";
import { Router } from "../../../http/api/router.ts";
import { routes } from "../../../http/api/routes.ts";
import { type ApiResponse, UnexpectedAnswerError } from "./api.ts";

type Schema = Readonly<Record<string, unknown>>;

const router = new Router(routes, ["/api/v1", "/json"]);
/** By what an endpoint declares: making a schema costs more than holding an answer against it. */
const schemas = new WeakMap<object, Schema>();

function schemaFor(route: Route, declared: object): Schema {
  const schema = schemas.get(declared) ?? successSchema(route);
  schemas.set(declared, schema);
  return schema;
}

/** Problems named in a failure. */
const maxProblems = 10;

/**
 * @throws UnexpectedAnswerError for a success that differs from what its endpoint declares. `path` is below `/api/v1`.
 */
export function assertContract(method: string, path: string, response: ApiResponse): void {
  if (response.status !== 200 || response.body["result"] !== "success") return;
  const match = router.find(method, `/api/v1${path}`.replace(/\?.*$/, "").replace(/\/{2,}/g, "/"));
  if (!match || !("route" in match) || !match.route.returns) return;
  const problems = schemaProblems(schemaFor(match.route, match.route.returns), response.body);
  if (problems.length === 0) return;
  throw new UnexpectedAnswerError(
    `${method} ${match.route.path} answers otherwise than it declares:\n  ${problems.slice(0, maxProblems).join("\n  ")}`,
  );
}

const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  array: Array.isArray,
  string: (value) => typeof value === "string",
  integer: Number.isInteger,
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
};

/** The part of JSON Schema that the route table uses. An unknown type is a problem of the schema. */
export function schemaProblems(schema: Schema, value: unknown, path = "answer"): string[] {
  const problems: string[] = [];
  check(schema, value, path, problems);
  return problems;
}

/** Adds to `problems`. It makes no lists of its own, as each answer of each test is held against its schema. */
function check(schema: Schema, value: unknown, path: string, problems: string[]): void {
  if ("const" in schema && schema["const"] !== value)
    return void problems.push(`${path}: ${quote(value)} is not ${quote(schema["const"])}`);
  if (Array.isArray(schema["enum"]) && !schema["enum"].includes(value))
    return void problems.push(`${path}: ${quote(value)} is not listed`);
  const choices = (schema["anyOf"] ?? schema["oneOf"]) as Schema[] | undefined;
  if (choices) checkChoices(choices, value, path, problems);
  const type = schema["type"] as string | string[] | undefined;
  const isFine = Array.isArray(type) ? type.some((one) => kinds[one]?.(value)) : !type || kinds[type]?.(value);
  if (!isFine) return void problems.push(`${path}: ${quote(value)} is no ${[type].flat().join(" or ")}`);
  if (Array.isArray(value) && schema["items"])
    for (const [index, item] of value.entries()) check(schema["items"] as Schema, item, `${path}[${index}]`, problems);
  else if (kinds["object"]!(value)) checkObject(schema, value as Record<string, unknown>, path, problems);
}

/** If none fits, the problems are those of the choice that fits best. */
function checkChoices(choices: readonly Schema[], value: unknown, path: string, problems: string[]): void {
  let nearest: string[] | undefined;
  for (const choice of choices) {
    if (!isOfKind(choice, value)) continue;
    const own = schemaProblems(choice, value, path);
    if (own.length === 0) return;
    if (nearest === undefined || own.length < nearest.length) nearest = own;
  }
  problems.push(`${path}: ${quote(value)} fits none of the choices`, ...(nearest ?? []));
}

/** Whether a value has the `type` and `op` of a choice. It is seen at once, and there are a hundred kinds of events. */
function isOfKind({ properties }: Schema, value: unknown): boolean {
  if (properties === undefined || typeof value !== "object" || value === null) return true;
  const { type, op } = properties as Record<string, Schema>;
  const { type: ownType, op: ownOp } = value as Record<string, unknown>;
  return mayBe(type, ownType) && mayBe(op, ownOp);
}

const mayBe = (schema: Schema | undefined, value: unknown): boolean =>
  !Array.isArray(schema?.["enum"]) || schema["enum"].includes(value);

function checkObject(schema: Schema, value: Record<string, unknown>, path: string, problems: string[]): void {
  const properties = (schema["properties"] ?? {}) as Record<string, Schema>;
  for (const name of (schema["required"] ?? []) as string[])
    if (!(name in value)) problems.push(`${path}.${name}: missing`);
  const others = schema["additionalProperties"];
  for (const name of Object.keys(value)) {
    if (properties[name]) check(properties[name], value[name], `${path}.${name}`, problems);
    else if (others === false) problems.push(`${path}.${name}: not declared`);
    else if (typeof others === "object") check(others as Schema, value[name], `${path}.${name}`, problems);
  }
}

const quote = (value: unknown): string => (JSON.stringify(value) ?? "undefined").slice(0, 100);
