/**
 * What an endpoint is, and what happens to a request for it:
 *
 *     match → organization → rate limit → authenticate → read and decode parameters → permission → handle → reply
 *
 * A handler turns parameters into one call on the realm and its result into fields of the answer. It never sees the
 * socket: `return` is success, `throw` is an error, and a `Later` is an answer that something else will give.
 */

import { incomingWebhookBot } from "../../actors/bots/record.ts";
import type { ApiError } from "../../actors/errors.ts";
import { errors } from "../../actors/errors.ts";
import type { ServedRealm } from "../../actors/realm/served.ts";
import { type RoleName, roles, type UserRow } from "../../storage/rows.ts";
import type { App } from "../process/app.ts";
import type { Exchange, Headers } from "../server/exchange.ts";
import type { UploadedFile } from "../server/multipart.ts";
import type { ByteSource } from "../server/read-body.ts";
import type { ParamsOf, ParamsSpec } from "./params.ts";
import type { RateName } from "./rate-limit.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The lowest role that is let through; finer checks are the realm's. */
export type Permission = RoleName;

const refusal: Record<Permission, string> = {
  owner: "Must be an organization owner",
  administrator: "Must be an organization administrator",
  moderator: "Must be an organization moderator",
  member: "Not allowed for guest users",
  guest: "",
};

/** @throws UNAUTHORIZED_PRINCIPAL */
export function checkRole(user: UserRow, permission: Permission): void {
  if (user.role > roles[permission]) throw errors.UNAUTHORIZED_PRINCIPAL(refusal[permission]);
}

/** @throws UNAUTHORIZED for the key of an incoming-webhook bot where it may not be used */
export function checkKind(user: UserRow, route: Route): void {
  if (user.bot_type === incomingWebhookBot && !route.allowsIncomingWebhooks)
    throw errors.UNAUTHORIZED("This API is not available to incoming webhook bots.");
}

export interface ApiRequest<P extends ParamsSpec = ParamsSpec, U = UserRow> {
  app: App;
  realm: ServedRealm;
  /** The caller. */
  user: U;
  params: ParamsOf<P>;
  files: UploadedFile[];
  /** Client name, from the User-Agent. */
  client: string;
  exchange: Exchange;
}

export interface RouteSpec<P extends ParamsSpec, U> {
  method: Method;
  /** Below `/api/v1`, or from the root when it begins with `^`. `:name` is a part, `:name*` the rest. */
  path: string;
  /** Source of the contract; also tells the OpenAPI page what the endpoint is for. */
  doc: string;
  summary: string;
  /** Who may call: holders of an API key, of a log-in cookie, or anybody. */
  auth: readonly ("apiKey" | "cookie" | "anybody")[];
  permission?: Permission;
  /**
   * The key of an incoming-webhook bot may be used here. Such a key stands in addresses on other people's sites, so it only
   * sends: what does not say so refuses it.
   */
  allowsIncomingWebhooks?: true;
  rateLimit?: RateName | "none";
  /** It is about this node and not about an organization: answered also while none can be loaded. The handler gets `app` and `exchange` only. */
  isAboutNode?: true;
  params: P;
  /** Bytes of a body; the default is for text. */
  maxBodyBytes?: number;
  /** Fields of a success answer, for the OpenAPI document and the test that holds live answers against it. */
  returns?: Record<string, object>;
  handle(request: ApiRequest<P, U>): Promise<Reply> | Reply;
}

/** Fields of a success answer; a whole answer; or one that comes later. */
export type Reply = Record<string, unknown> | EncodedReply | PiecesReply | RawReply | FileReply | JsonReply | Later;

/** Fields of a success answer that are JSON already: `"name":value,…`, without braces. For answers made of kept parts. */
export class EncodedReply {
  constructor(readonly fields: string) {}
}

/** Fields of a success answer, some of them `JsonText`: for large answers, sent as fast as the client takes them. */
export class PiecesReply {
  constructor(readonly fields: Readonly<Record<string, unknown>>) {}
}

/** An answer that is not the API's envelope: a page, a file, a redirect. */
export class RawReply {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly body: string | Uint8Array,
  ) {}
}

/** A file: sent as fast as the client takes it, and never in memory as a whole. */
export class FileReply {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly source: ByteSource,
  ) {}
}

/** JSON without the API's envelope, sent as the API's answers are: where those cannot be sent, neither can this. */
export class JsonReply {
  constructor(
    readonly status: number,
    readonly body: string,
  ) {}
}

/** The handler has arranged for the answer to be written to the exchange. */
export class Later {}

export interface Route extends Omit<RouteSpec<ParamsSpec, UserRow | undefined>, "handle"> {
  handle(request: ApiRequest<ParamsSpec, UserRow | undefined>): Promise<Reply> | Reply;
}

type CallerOf<A extends readonly string[]> = "anybody" extends A[number] ? UserRow | undefined : UserRow;

/** Declares an endpoint. Where anybody may call, `user` may be undefined. */
export function route<const A extends readonly ("apiKey" | "cookie" | "anybody")[], P extends ParamsSpec>(
  spec: Omit<RouteSpec<P, CallerOf<A>>, "auth"> & { auth: A },
): Route {
  return spec as unknown as Route;
}

/** The usual way to authenticate: programs by key, browsers by cookie. */
export const anyAccount = ["apiKey", "cookie"] as const;

/** JSON of an error, with only the fields that strict clients know. */
export function errorBody(error: ApiError): string {
  return JSON.stringify({ result: "error", msg: error.message, code: error.code, ...error.extra });
}
