import { errors } from "../../actors/errors.ts";
import { isRequired, type JsonSchema, type Shape, schemaOf } from "../../actors/shape.ts";
import { featureLevel, version } from "../../actors/version.ts";
import type { Param } from "./params.ts";
import type { Endpoint, Route } from "./route.ts";

type Json = Record<string, unknown>;

const errorCodes = Object.keys(errors).sort();

/** The name of a member of `returns`, and whether a success answer always has it. */
export function returnedField([name, shape]: [string, Shape]): { name: string; isRequired: boolean; schema: unknown } {
  return { name, isRequired: isRequired(shape), schema: modernSchema(schemaOf(shape)) };
}

/** @param url absolute address of the organization, without a trailing slash */
export function openApiDocument(routes: readonly Endpoint[], url: string): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = (route.path.startsWith("^") ? "" : "/api/v1") + openApiPath(route.path);
    paths[path] ??= {};
    paths[path]![route.method.toLowerCase()] = operation(route);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Parley",
      version: `${version} (feature level ${featureLevel})`,
      description:
        "The Zulip REST API as Parley serves it. Values that are no texts are JSON in the text of one field. A parameter " +
        "that an endpoint does not know is ignored and named in `ignored_parameters_unsupported`.",
    },
    servers: [{ url }],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: "http", scheme: "basic", description: "User: the account's email. Password: its API key." },
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
        Error: {
          description: "A refusal. Some codes come with further fields.",
          content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
        },
      },
    },
  };
}

/** `/streams/:stream_id` → `/streams/{stream_id}`. */
export function openApiPath(path: string): string {
  return path.replace(/^\^/, "").replace(/:(\w+)\*?/g, "{$1}");
}

function operation(route: Endpoint): Json {
  const params = Object.entries(route.params);
  const isQuery = route.method === "GET";
  const parameters = params
    .filter(([, param]) => param.isPath || isQuery)
    .map(([name, param]) => parameter(name, param))
    .concat(route.stream === undefined ? [] : lastEventId);
  const fields = isQuery ? [] : params.filter(([, param]) => !param.isPath);
  return {
    operationId: operationId(route),
    summary: route.summary,
    externalDocs: { url: route.doc },
    tags: [tagOf(route)],
    security: route.auth.map((way) => (way === "anybody" ? {} : { [way]: [] })),
    ...(route.permission && { "x-lowest-role": route.permission }),
    ...(parameters.length > 0 && { parameters }),
    ...(fields.length > 0 && { requestBody: requestBody(fields) }),
    responses: {
      "200": success(route),
      "4XX": { $ref: "#/components/responses/Error" },
      ...(route.auth.includes("anybody") ? {} : { "401": { $ref: "#/components/responses/Error" } }),
      ...(route.rateLimit !== "none" && { "429": { $ref: "#/components/responses/Error" } }),
    },
  };
}

function operationId({ method, path }: Endpoint): string {
  const root = path.startsWith("^") ? ["root"] : [];
  const words = openApiPath(path).split(/[^A-Za-z0-9]+/);
  const ending = path.endsWith("/") ? ["slash"] : [];
  return [method.toLowerCase(), ...root, ...words, ...ending].filter((word) => word !== "").join("_");
}

function tagOf({ path }: Endpoint): string {
  if (path.startsWith("^")) return "pages and files";
  return path.split("/")[1]!.replaceAll("_", " ");
}

function parameter(name: string, param: Param<unknown>): Json {
  const schema = describedSchema(param);
  const isStructured = schema["type"] === "object" || schema["type"] === "array";
  return {
    name,
    in: param.isPath ? "path" : "query",
    required: param.isPath || param.isRequired,
    ...(typeof schema["description"] === "string" && { description: schema["description"] }),
    ...(isStructured ? { content: { "application/json": { schema } } } : { schema }),
  };
}

function requestBody(fields: [string, Param<unknown>][]): Json {
  const required = fields.filter(([, param]) => param.isRequired).map(([name]) => name);
  const schema = {
    type: "object",
    properties: Object.fromEntries(fields.map(([name, param]) => [name, describedSchema(param)])),
    ...(required.length > 0 && { required }),
  };
  return {
    required: required.length > 0,
    content: { "application/x-www-form-urlencoded": { schema }, "multipart/form-data": { schema } },
  };
}

function describedSchema(param: Param<unknown>): JsonSchema {
  const schema = modernSchema(param.schema) as JsonSchema;
  const limit = schema["type"] === "string" ? "maxLength" : "x-max-characters";
  return {
    ...(param.maxLength !== undefined && { [limit]: param.maxLength }),
    ...schema,
    ...(param.aliases.length > 0 && { "x-aliases": param.aliases }),
  };
}

/** Writes `nullable`, which the declarations use as a short form, in the words of today's JSON Schema. */
function modernSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(modernSchema);
  if (typeof value !== "object" || value === null) return value;
  const { nullable, ...rest } = value as Json;
  const schema = Object.fromEntries(Object.entries(rest).map(([key, entry]) => [key, modernSchema(entry)]));
  if (nullable !== true) return schema;
  if (Array.isArray(schema["enum"])) schema["enum"] = [...schema["enum"], null];
  if (typeof schema["type"] === "string") return { ...schema, type: [schema["type"], "null"] };
  return { anyOf: [schema, { type: "null" }] };
}

/** The schema of a success answer. If an endpoint declares what it returns, there are no other fields. */
export function successSchema(route: Pick<Route, "returns">): Json {
  const fields = Object.entries(route.returns ?? {}).map(returnedField);
  return {
    type: "object",
    required: ["result", "msg", ...fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)],
    properties: {
      result: { const: "success" },
      msg: { const: "" },
      ignored_parameters_unsupported: { type: "array", items: { type: "string" } },
      ...Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
    },
    ...(route.returns && { additionalProperties: false }),
  };
}

function success(route: Endpoint): Json {
  if (route.path.startsWith("^")) return { description: "A page, a file, or a document for programs." };
  const json = { "application/json": { schema: successSchema(route) } };
  const stream = route.stream && { "text/event-stream": { schema: { type: "string", description: route.stream } } };
  return { description: "Done.", content: { ...json, ...stream } };
}

const lastEventId: Json = {
  name: "Last-Event-ID",
  in: "header",
  required: false,
  description:
    "On a stream: the newest event that the client has. Wins over `last_event_id`, and a browser sends it by itself.",
  schema: { type: "integer", minimum: 0 },
};
