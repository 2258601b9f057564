/** Calls by the types of the server's description: `POST /messages` has these parameters, and this answer. */
import type { paths } from "./openapi.d.ts";
import type { Method } from "./request.ts";

type Operations = {
  [Path in keyof paths]: {
    [Verb in keyof paths[Path] as Uppercase<string & Verb> extends Method
      ? `${Uppercase<string & Verb>} ${Path}`
      : never]: paths[Path][Verb];
  };
}[keyof paths];
type AllOf<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
type Endpoints = AllOf<Operations>;

/** An endpoint as method and path, such as `PATCH /messages/{message_id}`. */
export type Endpoint = keyof Endpoints & string;

type Of<Name extends Endpoint> = Endpoints[Name];
type QueryOf<One> = One extends { parameters: { query?: infer Query } } ? NonNullable<Query> : unknown;
type PathOf<One> = One extends { parameters: { path: infer Parts } } ? Parts : unknown;
type FormOf<One> = One extends { requestBody: { content: { form: infer Form } } } ? Form : unknown;

/** What an endpoint takes, the parts of its path among them. */
export type ParamsOf<Name extends Endpoint> = QueryOf<Of<Name>> & PathOf<Of<Name>> & FormOf<Of<Name>>;

/** What an endpoint answers. */
export type AnswerOf<Name extends Endpoint> =
  Of<Name> extends { responses: { 200: { content: { "application/json": infer Answer } } } } ? Answer : never;

/** Method, path and the other parameters of a call. */
export function addressed(
  endpoint: string,
  params: Readonly<Record<string, unknown>>,
): { method: Method; path: string; params: Record<string, unknown> } {
  const [method = "", template = ""] = endpoint.split(" ");
  const others = { ...params };
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    delete others[name];
    return encodeURIComponent(String(params[name]));
  });
  return { method: method as Method, path, params: others };
}
