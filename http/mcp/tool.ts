/**
 * What a tool for assistants is: a name and a schema before an endpoint of the API. A tool does nothing that its
 * endpoint would not do for the same key. Scope of the key, role and rights of the caller, and decoders of parameters
 * are the endpoint's.
 */
import type { Struct } from "superstruct";
import { schemaOf } from "../../actors/shape.ts";
import { encodeParts } from "../../actors/text/json-text.ts";
import { answerOf } from "../api/answering.ts";
import { modernSchema } from "../api/openapi.ts";
import { json, readParams } from "../api/params.ts";
import { type Answer, PiecesReply, Reply } from "../api/reply.ts";
import { type ApiRequest, checkRole, type Endpoint, type Method, type RealmRoute } from "../api/route.ts";
import type { Place } from "../api/route-table.ts";
import { checkScope } from "../api/scopes.ts";

export type Json = Record<string, unknown>;

/** The id of a request. */
export type Id = string | number;

/** Who asks, and by what: a request for `/mcp` without its body. */
export type Asked = Omit<ApiRequest, "params" | "files">;

/** An endpoint of the API, as a tool calls it. */
export type CalledRoute = RealmRoute & Pick<Endpoint, "method" | "path">;

/** @param place where the table of routes has it */
export function at(place: Place, route: RealmRoute): CalledRoute {
  const [method, path] = place.split(" ") as [Method, string];
  return { ...route, method, path };
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: Json;
  /** The endpoint whose scope a key needs for it. */
  uses: Pick<Endpoint, "method" | "path">;
  /** Whether doing it twice is the same as doing it once. */
  isIdempotent: boolean;
  /** @throws ApiError */
  run(asked: Asked, given: Json): Promise<Json>;
}

interface ToolSpec<T, S> extends Pick<Tool, "name" | "title" | "description" | "uses"> {
  isIdempotent?: boolean;
  takes: Struct<T, S>;
  run(asked: Asked, given: T): Promise<Json> | Json;
}

/** Declares a tool. Its arguments are checked like a parameter of the API. */
export function tool<T, S>({ takes, run, isIdempotent = true, ...told }: ToolSpec<T, S>): Tool {
  const decoder = json(takes);
  return {
    ...told,
    isIdempotent,
    inputSchema: modernSchema(schemaOf(takes)),
    async run(asked, given) {
      checkScope(asked.key?.scope ?? "all", told.uses);
      return run(asked, decoder.read("arguments", new Map([["arguments", JSON.stringify(given)]])));
    },
  };
}

/**
 * Has an endpoint answer what its caller may ask.
 *
 * @param values its parameters, those of its path too; undefined is left out
 * @throws ApiError
 */
export async function callRoute(asked: Asked, route: CalledRoute, values: Json): Promise<Json> {
  checkScope(asked.key?.scope ?? "all", route);
  const texts = new Map<string, string>();
  for (const [name, value] of Object.entries(values))
    if (value !== undefined) texts.set(name, typeof value === "string" ? value : JSON.stringify(value));
  const { params } = readParams(route.params, texts, texts);
  if (route.permission) checkRole(asked.user, route.permission);
  const request = { ...asked, params, files: [] };
  return fieldsOf(await answerOf(route, request));
}

function fieldsOf(answer: Answer): Json {
  if (answer instanceof PiecesReply) {
    const parts = encodeParts(answer.fields).map(({ bytes }) => bytes);
    return JSON.parse(Buffer.concat(parts).toString());
  }
  if (answer instanceof Reply) throw new Error("An endpoint that a tool calls answers with fields.");
  return answer;
}
