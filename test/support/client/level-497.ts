/**
 * Which endpoints, parameters and fields are public at level 497, by `test/data/api-497/`. Their types are held by
 * `public-types.ts`.
 */
import { readFileSync } from "node:fs";
import { openApiDocument } from "../../../http/api/openapi.ts";
import { routes } from "../../../http/api/routes.ts";
import { publicEvents } from "./public-types.ts";

export const notOurs: Readonly<Record<string, string>> = {
  "POST /real-time": "A page of the documentation.",
  "POST /rest-error-handling": "A page of the documentation.",
  "POST /zulip-outgoing-webhook": "What bots' services are sent.",
  "POST /remotes/push/e2ee/register": "The push notification relay has it.",
  realm_filters: "No longer sent since level 176.",
  "realm_bot/remove": "No longer sent since level 222.",
};
const notOurFields: Readonly<Record<string, string>> = {
  "POST /user_uploads filename": "The file itself, a part of the form of any name.",
  "POST /realm/emoji/{} filename": "The file itself.",
  "POST /register demo_organization_scheduled_deletion_date": "Only demo organizations have it, and there are none.",
  "update_message stream_name": "The channel is named by its id. Names are in the state.",
};
/** The description leaves them open, but nothing is done without. */
export const alwaysNeeded: Readonly<Record<string, readonly string[]>> = {
  "POST /reminders": ["message_id", "scheduled_delivery_timestamp"],
};

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  required?: string[];
  "x-aliases"?: string[];
}
interface Operation {
  parameters?: {
    name: string;
    in: string;
    required: boolean;
    schema?: Schema;
    content?: Record<string, { schema: Schema }>;
  }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

const paths = openApiDocument(routes, "http://localhost")["paths"] as Record<string, Record<string, Operation>>;
export const ours = new Map(
  Object.entries(paths)
    .filter(([path]) => path.startsWith("/api/v1/"))
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => {
        const name = `${method.toUpperCase()} ${path.replace("/api/v1", "").replace(/\{\w+\}/g, "{}")}`;
        return [name, operation] as const;
      }),
    ),
);

const linesOf = (file: string): string[][] =>
  readFileSync(new URL(`../../data/api-497/${file}`, import.meta.url), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => line.split("|").map((part) => part.trim()));
const listOf = (text = ""): string[] => text.split(",").filter((name) => name !== "");

export const endpoints = linesOf("endpoints.txt").map(([name, params, answer]) => ({
  name: name!.replace(/\{\w+\}/g, "{}"),
  params: listOf(params!.replaceAll(/\w+!?/g, (param) => (name!.includes(`{${param.replace("!", "")}}`) ? "" : param))),
  answer: listOf(answer!.replaceAll(/\{[^}]*\}/g, "")),
  within: [...answer!.matchAll(/(\w+)\{([^}]*)\}/g)].map(([, field, names]) => ({
    field: field!,
    names: listOf(names),
  })),
}));

export const bare = (param: string): string => param.replace("!", "");
export const isLeftOut = (name: string, field: string): boolean => notOurFields[`${name} ${field}`] !== undefined;

export function parametersOf({ parameters = [], requestBody }: Operation): { names: Set<string>; required: string[] } {
  const asked = parameters.filter((parameter) => parameter.in !== "path");
  const schemas = asked.map(({ schema, content }) => schema ?? content!["application/json"]!.schema);
  const form = requestBody?.content["application/x-www-form-urlencoded"]?.schema;
  const aliases = [...schemas, ...Object.values(form?.properties ?? {})].flatMap((schema) => schema["x-aliases"] ?? []);
  const names = [...asked.map(({ name }) => name), ...Object.keys(form?.properties ?? {}), ...aliases];
  const required = asked.filter((parameter) => parameter.required).map(({ name }) => name);
  return { names: new Set(names), required: [...required, ...(form?.required ?? [])] };
}

/** Names of the fields of an object, of the objects in a list or a record, or of any of several forms. */
export function namesWithin(schema: Schema): Set<string> {
  const inner = [schema.items, schema.additionalProperties, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const found = inner.filter((one): one is Schema => typeof one === "object").flatMap((one) => [...namesWithin(one)]);
  return new Set([...Object.keys(schema.properties ?? {}), ...found]);
}

/** Kinds of events, with their fields. */
export const events = [...publicEvents].map(([kind, fields]) => ({ kind, fields: [...fields.keys()] }));
