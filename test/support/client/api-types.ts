/**
 * The types of the client library's calls, made from the description that the server answers at `/api/v1/openapi.json`.
 * `npm run client-types` writes them, and a test compares them with the routes of today.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import openapiTS from "openapi-typescript";
import { openApiDocument } from "../../../http/api/openapi.ts";
import { routes } from "../../../http/api/routes.ts";

export const typesFile = join(import.meta.dirname, "../../../http/client/openapi.d.ts");

const head = `/**
 * The API's endpoints as types. \`npm run client-types\` writes this file from the declarations of the routes. Words
 * about each endpoint and field are on a server's page \`/api/\`.
 */
`;

type Json = { [name: string]: unknown };
interface Described extends Json {
  paths: Record<string, Record<string, Operation>>;
}
interface Operation extends Json {
  parameters?: { in: string }[];
  requestBody?: { required?: boolean; content: Json };
  responses: { 200: { description: string; content?: Json } };
}

const json = "application/json";

/** What calls need of an operation: parameters, one form of the body, and the answer of success. */
function calledOf(operation: Operation): Operation {
  const answer = withoutCommon(operation.responses[200].content?.[json]);
  const form = Object.entries(operation.requestBody?.content ?? {}).at(-1)?.[1];
  return {
    summary: operation["summary"],
    ...(operation.parameters && { parameters: operation.parameters.filter((one) => one.in !== "header") }),
    ...(form !== undefined && {
      requestBody: { required: true, content: { form } },
    }),
    responses: { 200: { description: "", content: { [json]: answer } } },
  };
}

/** Fields that every answer has. */
const common = new Set(["result", "msg", "ignored_parameters_unsupported"]);

/** The schema of a success answer, of its own fields alone. */
function withoutCommon(content: unknown): Json {
  const { schema = {} } = (content ?? {}) as { schema?: Json };
  const done = (schema["oneOf"] as Json[] | undefined)?.[0] ?? schema;
  const properties = Object.entries((done["properties"] as Json | undefined) ?? {});
  const required = (done["required"] as string[] | undefined) ?? [];
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(properties.filter(([name]) => !common.has(name))),
      required: required.filter((name) => !common.has(name)),
    },
  };
}

/** The same schema without words. */
function wordless(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wordless);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([name, entry]) => name !== "description" || typeof entry !== "string");
  return Object.fromEntries(entries.map(([name, entry]) => [name, wordless(entry)]));
}

/** What the file has to be. */
export async function apiTypes(): Promise<string> {
  const { paths, ...rest } = openApiDocument(routes, "/") as Described;
  const called = Object.entries(paths)
    .filter(([path]) => path.startsWith("/api/v1/"))
    .map(([path, operations]) => [
      path.slice("/api/v1".length),
      Object.fromEntries(Object.entries(operations).map(([method, one]) => [method, wordless(calledOf(one))])),
    ]);
  const document = { ...(wordless(rest) as Json), paths: Object.fromEntries(called) };
  const source = await openapiTS(document as unknown as Parameters<typeof openapiTS>[0], { commentHeader: head });
  return source.replace(/[ \t]+$/gm, "");
}

export async function writeTypes(): Promise<void> {
  writeFileSync(typesFile, await apiTypes());
}
