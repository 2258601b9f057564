import { errors } from "../../actors/errors.ts";
import { isRequired, type Shape, schemaOf } from "../../actors/shape.ts";
import { featureLevel, version } from "../../actors/version.ts";
import { defined } from "../../storage/failures.ts";
import type { Param } from "./params.ts";
import type { Endpoint, Route } from "./route.ts";
import { meaningOf } from "./shared-words.ts";

type Json = Record<string, unknown>;

const errorCodes = Object.keys(errors).sort();

/** The name of a member of `returns`, and whether a success answer always has it. */
export function returnedField([name, shape]: [string, Shape]): { name: string; isRequired: boolean; schema: unknown } {
  return { name, isRequired: isRequired(shape), schema: modernSchema(schemaOf(shape)) };
}

/**
 * All endpoints but the pages for people, and those for directories, which describe themselves.
 * @param url address of the organization without a trailing slash, or `/`: wherever the document is
 */
export function openApiDocument(routes: readonly Endpoint[], url: string): Json {
  const paths: Record<string, Json> = {};
  /** Paths that differ only in what their parts are called are one path to OpenAPI. */
  const firstOfShape = new Map<string, string>();
  for (const route of routes) {
    if (!isListed(route)) continue;
    const shape = route.path.replace(/:\w+/g, ":");
    const first = firstOfShape.get(shape) ?? route.path;
    firstOfShape.set(shape, first);
    const path = documentPath(first);
    paths[path] ??= {};
    defined(paths[path], "path")[route.method.toLowerCase()] = operation(route, partsOf(first), url);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Parley",
      version: `${version} (feature level ${featureLevel})`,
      description:
        "The Zulip REST API as Parley serves it. Values that are no texts are JSON in the text of one field. A parameter " +
        "that an endpoint does not know is ignored and named in `ignored_parameters_unsupported`.",
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url }],
    paths,
    components,
  };
}

const errorContent = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };

/** What operations refer to. */
const components = {
  securitySchemes: {
    apiKey: { type: "http", scheme: "basic", description: "User: the account's email. Password: its API key." },
    bearer: { type: "http", scheme: "bearer", description: "The account's API key." },
    cookie: {
      type: "apiKey",
      in: "cookie",
      name: "sessionid",
      description: "A browser's log-in, under `/json`. Changes also need the header X-CSRFToken.",
    },
  },
  schemas: {
    Error: {
      type: "object",
      required: ["result", "msg", "code"],
      properties: {
        result: { const: "error" },
        msg: { type: "string", description: "For people." },
        code: { type: "string", enum: errorCodes },
      },
    },
  },
  responses: {
    Error: { description: "A refusal. Some codes come with further fields.", content: errorContent },
    PageOrError: {
      description: "A refusal: for people as a page, else as everywhere.",
      content: { ...errorContent, "text/html": { schema: { type: "string" } } },
    },
    Unavailable: {
      description: "It cannot be done right now: ask again after the seconds of `Retry-After`.",
      headers: { "Retry-After": { description: "Seconds.", schema: { type: "integer" } } },
      content: errorContent,
    },
  },
};

const redirect = (description: string): Json => ({
  description,
  headers: { Location: { description: "Where to go.", schema: { type: "string" } } },
});

/** `/streams/:stream_id` → `/streams/{stream_id}`. */
export function openApiPath(path: string): string {
  return path.replace(/^\^/, "").replace(/:(\w+)\*?/g, "{$1}");
}

/**
 * Whether it is neither a page for people, whose path ends with a slash, nor of a protocol that its own clients speak
 * (SCIM, tus). Pages are found from `/`.
 */
export const isListed = ({ path }: Pick<Endpoint, "path">): boolean => !/\/$|^\^\/scim\/|^\/tus(?:\/|$)/.test(path);

/** A route's path in the document, below the address of the organization. */
const documentPath = (path: string): string => (path.startsWith("^") ? "" : "/api/v1") + openApiPath(path);

const partsOf = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);

/** @param partNames what the document calls the parts of the path */
function operation(route: Endpoint, partNames: readonly string[], url: string): Json {
  const params = Object.entries(route.params);
  const isQuery = route.method === "GET";
  const ownNames = partsOf(route.path);
  const parameters = params
    .filter(([, param]) => param.isPath || isQuery)
    .map(([name, param]) => {
      const called = param.isPath ? defined(partNames[ownNames.indexOf(name)], "part name") : name;
      return { ...parameter(name, param), name: called };
    })
    .concat(route.stream === undefined ? [] : [lastEventId]);
  const fields = isQuery ? [] : params.filter(([, param]) => !param.isPath);
  const hasBody = fields.length > 0 || route.file !== undefined;
  return {
    operationId: operationId(route),
    summary: route.summary,
    externalDocs: { url: route.doc.startsWith("https:") ? route.doc : `${url === "/" ? "" : url}/api/` },
    tags: [tagOf(route)],
    security: route.auth.map((way) => (way === "anybody" ? {} : { [way]: [] })),
    ...(route.permission && { "x-lowest-role": route.permission }),
    ...(parameters.length > 0 && { parameters }),
    ...(hasBody && { requestBody: requestBody(route, fields) }),
    responses: {
      "200": success(route),
      ...(route.redirects !== undefined && { "302": redirect(route.redirects) }),
      ...(route.path.startsWith("^") &&
        isQuery && { "304": { description: "What the client has is still the same." } }),
      "4XX": { $ref: `#/components/responses/${route.refusesWithPages ? "PageOrError" : "Error"}` },
      "503": { $ref: "#/components/responses/Unavailable" },
      ...(route.auth.includes("anybody") ? {} : { "401": { $ref: "#/components/responses/Error" } }),
      ...(route.rateLimit !== "none" && { "429": { $ref: "#/components/responses/Error" } }),
    },
  };
}

/** A name of the endpoint, which is also its place on the page of the API. */
export function operationId({ method, path }: Endpoint): string {
  const root = path.startsWith("^") ? ["root"] : [];
  const words = openApiPath(path).split(/[^A-Za-z0-9]+/);
  return [method.toLowerCase(), ...root, ...words].filter((word) => word !== "").join("_");
}

function tagOf({ path }: Endpoint): string {
  if (path.startsWith("^")) return "pages and files";
  const [, noun = ""] = path.split("/");
  return noun.replaceAll("_", " ");
}

function parameter(name: string, param: Param<unknown>): Json & { name: string } {
  const schema = describedSchema(name, param);
  return {
    name,
    in: param.isPath ? "path" : "query",
    required: param.isPath || param.isRequired,
    ...(typeof schema["description"] === "string" && { description: schema["description"] }),
    ...(isStructured(schema) ? { content: { "application/json": { schema } } } : { schema }),
  };
}

function requestBody(route: Endpoint, fields: [string, Param<unknown>][]): Json {
  const properties: Json = Object.fromEntries(fields.map(([name, param]) => [name, describedSchema(name, param)]));
  const required = fields.filter(([, param]) => param.isRequired).map(([name]) => name);
  const { file } = route;
  const withFile = file && {
    properties: {
      ...properties,
      file: { type: "string", contentMediaType: "application/octet-stream", description: file.description },
    },
    required: file.isRequired ? [...required, "file"] : required,
  };
  const form = formOf({ properties, required });
  return {
    required: required.length > 0 || file?.isRequired === true,
    content: {
      ...(!file?.isRequired && { "application/x-www-form-urlencoded": form }),
      "multipart/form-data": withFile ? formOf(withFile) : form,
    },
  };
}

function formOf({ properties, required }: { properties: Json; required: string[] }): Json {
  const structured = Object.keys(properties).filter((name) => isStructured(properties[name]));
  return {
    schema: { type: "object", properties, ...(required.length > 0 && { required }) },
    // Else generated clients send a list as many fields of one name.
    ...(structured.length > 0 && {
      encoding: Object.fromEntries(structured.map((name) => [name, { contentType: "application/json" }])),
    }),
  };
}

/** Whether values are lists or objects, or some of them are. */
function isStructured(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const { type, oneOf, anyOf } = schema;
  const isOne = [type].flat().some((each) => each === "object" || each === "array");
  return isOne || [oneOf ?? [], anyOf ?? []].flat().some(isStructured);
}

/** A parameter as JSON Schema, with what it means. */
export function describedSchema(name: string, param: Param<unknown>): Json {
  const schema = withWords(modernSchema(param.schema));
  const limit = schema["type"] === "string" ? "maxLength" : "x-max-characters";
  return {
    ...(param.maxLength !== undefined && { [limit]: param.maxLength }),
    ...withMeaning(name, schema),
    ...(param.aliases.length > 0 && { "x-aliases": param.aliases }),
  };
}

/** Writes `nullable`, which the declarations use as a short form, in the words of today's JSON Schema. */
export function modernSchema({ nullable, ...rest }: Json): Json {
  const schema: Json = inEach(rest, modernSchema);
  if (nullable !== true) return schema;
  if (Array.isArray(schema["enum"])) schema["enum"] = [...schema["enum"], null];
  if (typeof schema["type"] === "string") return { ...schema, type: [schema["type"], "null"] };
  const { description, ...form } = schema;
  return { anyOf: [form, { type: "null" }], ...(description !== undefined && { description }) };
}

/** The schema of a success answer. If an endpoint declares what it returns, there are no other fields. */
export function successSchema(route: Pick<Route, "returns">): Json {
  const fields = Object.entries(route.returns ?? {}).map(returnedField);
  return {
    type: "object",
    required: [...new Set(["result", "msg", ...fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)])],
    properties: {
      result: { const: "success", description: "`success`." },
      msg: { const: "", description: "Empty, or what is to be told." },
      ignored_parameters_unsupported: {
        type: "array",
        items: { type: "string" },
        description: "Names of parameters that were sent and that the endpoint does not know.",
      },
      ...Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
    },
    ...(route.returns && { additionalProperties: false }),
  };
}

/** The same with what each field means. */
export const describedSuccess = (route: Endpoint): Json => withWords(successSchema(route));

/** Keywords that hold schemas of the same value, or of its items. */
const partKeywords = new Set(["items", "prefixItems", "additionalProperties", "oneOf", "anyOf"]);

/** A JSON Schema in which every property says what it means: as it was declared, or as its name does everywhere. */
function withWords(schema: Json): Json {
  const told = Object.entries(schema).map(([keyword, value]) => {
    if (keyword === "properties" && isObject(value)) return [keyword, propertiesWithWords(value)];
    return [keyword, partKeywords.has(keyword) ? inPart(value, withWords) : value];
  });
  return Object.fromEntries(told);
}

function propertiesWithWords(properties: Json): Json {
  const told = Object.entries(properties).map(([name, property]) => [
    name,
    isObject(property) ? withMeaning(name, withWords(property)) : property,
  ]);
  return Object.fromEntries(told);
}

/** The schema with those in it changed, in its lists too. */
const inEach = (schema: Json, change: (schema: Json) => Json): Json =>
  Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, inPart(part, change)]));

function inPart(part: unknown, change: (schema: Json) => Json): unknown {
  if (Array.isArray(part)) return part.map((one) => inPart(one, change));
  return isObject(part) ? change(part) : part;
}

function withMeaning(name: string, { description = meaningOf(name), ...schema }: Json): Json {
  return description === undefined ? schema : { ...schema, description };
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function success(route: Endpoint): Json {
  if (route.path.startsWith("^")) return { description: "A page, a file, or a document for programs." };
  if (route.redirects !== undefined && !route.returns)
    return { description: "What is found where it leads.", content: { "*/*": { schema: {} } } };
  if (route.path.endsWith(".json"))
    return { description: "The document.", content: { "application/json": { schema: { type: "object" } } } };
  const done = describedSuccess(route);
  const schema = route.refusesWith200 ? { oneOf: [done, { $ref: "#/components/schemas/Error" }] } : done;
  const json = { "application/json": { schema } };
  const stream = route.stream && { "text/event-stream": { schema: { type: "string", description: route.stream } } };
  const others = Object.entries(route.alsoAs ?? {}).map(([type, description]) => [
    type,
    { schema: { type: "string", description } },
  ]);
  return { description: "Done.", content: { ...json, ...stream, ...Object.fromEntries(others) } };
}

const lastEventId: Json & { name: string } = {
  name: "Last-Event-ID",
  in: "header",
  required: false,
  description:
    "On a stream: the newest event that the client has. Wins over `last_event_id`, and a browser sends it by itself.",
  schema: { type: "integer", minimum: 0 },
};
