/** Refusals in another form than the API's. Below `/scim` it is SCIM's. Source: RFC 7644, 3.8 and 3.12. */
import { ApiError } from "../../actors/errors.ts";
import type { Exchange } from "../server/exchange.ts";
import type { Headers } from "../server/header-block.ts";
import { retryHeaders } from "./reply.ts";
import type { WrongMethod } from "./router.ts";

export const isScim = (path: string): boolean => path.startsWith("/scim/");

/** Of every answer. What a directory is told of people is for nobody between. */
export const scimHeaders: Headers = [
  ["Content-Type", "application/scim+json"],
  ["Cache-Control", "no-store"],
];

/** Refusals of the realm's own commands, which have another status there. */
const statuses: Readonly<Record<string, number>> = {
  UNAUTHORIZED_PRINCIPAL: 403,
  CANNOT_DEACTIVATE_LAST_USER: 403,
  CANNOT_DEACTIVATE_GROUP_IN_USE: 409,
};

/** Refuses a request. Returns the status. */
export function replyScim(exchange: Exchange, error: ApiError): number {
  const status = statuses[error.code] ?? error.status;
  const scimType = error.extra["scimType"] ?? (status === 400 ? "invalidValue" : undefined);
  if (status === 401) exchange.headers.push(["WWW-Authenticate", 'Bearer realm="scim"']);
  exchange.headers.push(...retryHeaders(error));
  const body = {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail: error.message,
  };
  exchange.reply(status, scimHeaders, JSON.stringify(body));
  return status;
}

/** Answers a path that there is, asked by a method that it does not have. OPTIONS is no fault. Returns the status. */
export function replyWrongMethod(exchange: Exchange, { allowed: methods, wants, options }: WrongMethod): number {
  const allowed = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"];
  exchange.headers.push(["Allow", allowed.join(", ")]);
  if (exchange.method === "OPTIONS") {
    exchange.headers.push(
      ["Access-Control-Allow-Methods", allowed.join(", ")],
      ["Access-Control-Allow-Headers", ["Authorization", "Content-Type", "X-CSRFToken", ...wants].join(", ")],
      ["Access-Control-Max-Age", "86400"],
      ...options.map(([name, value]): [string, string] => [name, value]),
    );
    exchange.reply(204, [], "");
    return 204;
  }
  if (isScim(exchange.path)) return replyScim(exchange, new ApiError(405, "BAD_REQUEST", "Method Not Allowed"));
  const body = { result: "error", msg: "Method Not Allowed", code: "BAD_REQUEST", allowed_methods: methods };
  exchange.replyJson(405, JSON.stringify(body));
  return 405;
}
