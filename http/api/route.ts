/**
 * What an endpoint is, and what happens to a request for it:
 *
 *     match → organization → authenticate → rate limit → kind of account → parameters → role → handle → reply
 *
 * A handler turns parameters into one call on the realm and its result into fields of the answer. It never sees the
 * socket: `return` is success (`reply.ts` has the kinds), `throw` is an error.
 */

import { incomingWebhookBot } from "../../actors/bots/record.ts";
import { errors } from "../../actors/errors.ts";
import type { FurtherKey } from "../../actors/event-queue/queue.ts";
import type { ServedRealm } from "../../actors/realm/served.ts";
import type { Shape, ValuesOf } from "../../actors/shape.ts";
import { type RoleName, roles, type UserRow } from "../../storage/rows.ts";
import type { BodyStream } from "../server/body-stream.ts";
import type { Exchange } from "../server/exchange.ts";
import type { Headers } from "../server/header-block.ts";
import type { FileHead, UploadedFile } from "../server/multipart.ts";
import type { ApiSettings, App } from "./app.ts";
import type { LogIn } from "./auth.ts";
import type { ParamsOf, ParamsSpec } from "./params.ts";
import type { RateName } from "./rate-limit.ts";
import type { Answer, Reply } from "./reply.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Who may call: holders of an API key, which comes with an address or as a bearer token, of a log-in, or anybody. */
type Way = "apiKey" | "bearer" | "cookie" | "anybody";

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

/** @throws UNAUTHORIZED for the key of an incoming-webhook bot on a route that does not allow it */
export function checkKind(user: UserRow, route: Route): void {
  if (user.bot_type === incomingWebhookBot && !route.allowsIncomingWebhooks)
    throw errors.UNAUTHORIZED("This API is not available to incoming webhook bots.");
}

export interface ApiRequest<P extends ParamsSpec = ParamsSpec, U = UserRow> {
  app: App;
  realm: ServedRealm;
  /** The caller. */
  user: U;
  /** The log-in that it came by. Undefined: it came by key, or by nobody. */
  session: LogIn | undefined;
  /** The further API key that it came by. */
  key: FurtherKey | undefined;
  params: ParamsOf<P>;
  files: UploadedFile[];
  /** Files that were stored while they came in. */
  received: ReceivedFile[];
  /** The body, where the route takes it as it comes. */
  body: BodyStream | undefined;
  /** Client name, from the User-Agent. */
  client: string;
  exchange: Exchange;
}

/** A file that was stored while it came in. */
export interface ReceivedFile extends FileHead {
  size: number;
  /** As in `Attachment.path_id`. */
  pathId: string;
}

/** Stores the files of one request while they come in. */
export interface FileReceiver {
  take(file: FileHead, pieces: AsyncIterable<Buffer>): Promise<ReceivedFile>;
  /** The request is over. Without success nothing that was taken stays. */
  close(isKept: boolean): Promise<void>;
}

/** A request whose file is about to come in. */
export interface Receiving<U> {
  app: App;
  realm: ServedRealm;
  user: U;
  /** Bytes of the whole body, if the client tells. */
  announced: number | undefined;
}

/** What the API's description and the pipeline need of a route. */
interface Declared<P extends ParamsSpec> {
  /** Source of the contract; also tells the OpenAPI page what the endpoint is for. */
  doc: string;
  summary: string;
  auth: readonly Way[];
  permission?: Permission;
  /**
   * Whether the key of an incoming-webhook bot may be used. Such a key stands in addresses on other sites, so it may
   * only send: other routes refuse it.
   */
  allowsIncomingWebhooks?: true;
  /** The parameter that takes a whole body that is not a form: for services that post JSON. */
  bodyParam?: string;
  /**
   * The parameter that takes the fields that no other takes, as a JSON object: for services that send forms. It takes
   * none where the body is one value (`bodyParam`).
   */
  restParam?: string;
  rateLimit?: RateName | "none";
  /** Whether it changes nothing that is in the audit log: then nobody looks at where it comes from. */
  isUnaudited?: true;
  /** Whether pages send it by themselves, so that it does not show that a person is there. */
  isAutomatic?: true;
  /** Whether its answers are so large that only so many are under way at once, first come, first served. */
  waitsInLine?: true;
  params: P;
  /** The file that comes as a part of a multipart body, if one does. */
  file?: { description: string; isRequired: boolean };
  /** Bytes of a body; the default is for text. */
  maxBodyBytes?: number;
  /** Describes the stream, if the route also answers with a stream of events (`Accept: text/event-stream`). */
  stream?: string;
  /** Content types of other forms that an answer may have on demand, each with what it is. */
  alsoAs?: Readonly<Record<string, string>>;
  /** Whether it answers with files, of which a client may ask for a part (`Range`) or has one already. */
  servesFiles?: true;
  /** Names of further headers that its handler reads, in lower case. */
  wantsHeaders?: Iterable<string>;
  /** Whether the operator asked for it. Where not, there is no such endpoint. Left out: it is always served. */
  isServed?: (settings: ApiSettings) => boolean;
  /** Whether its handler takes the body as it comes: no parameters are in it. */
  streamsBody?: true;
  /** Headers of the answer to OPTIONS, by which clients learn what it can. */
  options?: Headers;
  /** Says where it sends its caller, if it may answer with a redirect. */
  redirects?: string;
  /** Whether it refuses with pages for people. */
  refusesWithPages?: true;
  /** Whether some refusals have status 200: services stop posting after errors. */
  refusesWith200?: true;
  /** Fields of a success answer: for the handler's type, the OpenAPI document, and the check of live answers. */
  returns?: Record<string, Shape>;
}

/** An endpoint of an organization. */
interface RouteSpec<P extends ParamsSpec, U> extends Declared<P> {
  /**
   * Has the file of a form stored while it comes in: it may be larger than what memory is for. Called before any of the
   * body is read, so it refuses early what would not be kept.
   */
  receive?(request: Receiving<U>): Promise<FileReceiver>;
  handle(request: ApiRequest<P, U>): Promise<Answer> | Answer;
}
export interface RealmRoute extends RouteSpec<ParamsSpec, UserRow | undefined> {
  isAboutNode?: never;
}

/** A request about this node. */
export interface NodeRequest {
  app: App;
  exchange: Exchange;
}

/** An endpoint about this node, not about an organization. It is answered even while no organization can be loaded. */
export interface NodeRoute extends Declared<ParamsSpec> {
  isAboutNode: true;
  receive?: never;
  handle(request: NodeRequest): Promise<Answer> | Answer;
}

export type Route = RealmRoute | NodeRoute;

/** A route with its method and path, which the table in `routes.ts` gives it. */
export type Endpoint = Route & {
  method: Method;
  /** Below `/api/v1`, or from the root when it begins with `^`. `:name` is a part, `:name*` the rest. */
  path: string;
};

type CallerOf<A extends readonly string[]> = "anybody" extends A[number] ? UserRow | undefined : UserRow;

type Returns = Record<string, Shape> | undefined;
/** What a handler may return: fields of the declared types, or a reply. */
type AnswerTo<R extends Returns> = R extends Record<string, Shape> ? ValuesOf<R> | Reply : Answer;
/** Names that an answer has and `returns` does not. */
type Undeclared<T, R extends Returns> = R extends Record<string, Shape> ? Exclude<KeysOf<T>, keyof R> : never;
type KeysOf<T> = T extends Reply ? never : keyof T;

/**
 * Declares an endpoint of an organization. If anybody may call, `user` may be undefined. An answer with a field that
 * `returns` does not have, or has with another type, does not compile.
 */
export function route<
  const A extends readonly Way[],
  P extends ParamsSpec,
  T extends AnswerTo<R>,
  R extends Returns = undefined,
>(
  spec: Omit<RouteSpec<P, CallerOf<A>>, "auth" | "returns" | "handle" | "receive"> & {
    auth: A;
    returns?: R;
    receive?(request: Receiving<CallerOf<A>>): Promise<FileReceiver>;
    handle(request: ApiRequest<P, CallerOf<A>>): Promise<T> | T;
  } & ([Undeclared<T, R>] extends [never] ? unknown : { handle: { undeclared: Undeclared<T, R> } }),
): RealmRoute {
  return spec as unknown as RealmRoute;
}

/** Declares an endpoint about this node. It is open to anybody and has no rate limit: its handler checks who asks. */
export function nodeRoute(spec: Pick<NodeRoute, "doc" | "summary" | "returns" | "handle">): NodeRoute {
  return { ...spec, isAboutNode: true, auth: ["anybody"], rateLimit: "none", params: {} };
}

/** The usual way to authenticate: programs by key, browsers by cookie. */
export const anyAccount = ["apiKey", "cookie"] as const;
