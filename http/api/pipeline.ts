/** Serves requests, in the order drawn in `route.ts`. */
import { ApiError, badRequest, errors } from "../../actors/errors.ts";
import type { FurtherKey } from "../../actors/event-queue/queue.ts";
import type { ServedRealm } from "../../actors/realm/served.ts";
import type { Span, Tracer } from "../../actors/tracing.ts";
import { FilesUnavailable, upTo } from "../../storage/failures.ts";
import {
  RealmGone,
  StatementEnded,
  StorageConflict,
  StorageRefusesChanges,
  StorageUnavailable,
  translate,
} from "../../storage/postgres.ts";
import type { UserRow } from "../../storage/rows.ts";
import { askAgainIfMoved } from "../process/homes/moved.ts";
import type { BodyShare } from "../server/body-budget.ts";
import { BodyStream } from "../server/body-stream.ts";
import type { HttpRequest } from "../server/builds/uws-interface.ts";
import type { Exchange } from "../server/exchange.ts";
import { keepInMemory, parseMultipart, type UploadedFile } from "../server/multipart.ts";
import { detached } from "../server/percent-decoding.ts";
import { BodyTooLarge, ClientGone } from "../server/unread-body.ts";
import { type AnyRequest, answerOf } from "./answering.ts";
import type { App } from "./app.ts";
import { holderOf, holds, type LogIn } from "./auth.ts";
import { addUrlencoded, checkText, defaultMaxBodyBytes, gatherRest, readParams } from "./params.ts";
import { type Allowance, tighter } from "./rate-limit.ts";
import { isScim, replyScim, replyWrongMethod } from "./refusals.ts";
import { errorBody, type Reply, replyOf, retryHeaders } from "./reply.ts";
import { checkKind, checkRole, type Endpoint, type RealmRoute, type ReceivedFile, type Route } from "./route.ts";
import type { Router } from "./router.ts";
import { checkScope } from "./scopes.ts";

/** What a larger body says takes milliseconds to read: each has a turn of the event loop to itself. */
const largeBodyBytes = 256 * 1024;

/** What requests come to: the table of routes, and what their handlers use. */
export interface RoutedApp extends App {
  router: Router;
}

/** Serves one request. Never throws. */
export async function serve(app: RoutedApp, exchange: Exchange, req: HttpRequest): Promise<void> {
  const isLogged = app.log.isLevelEnabled("debug");
  const started = performance.now();
  let name = "unmatched";
  let status = 200;
  let body: Promise<Buffer> | BodyStream | undefined;
  if (app.tracer) exchange.span = beginTrace(app.tracer, exchange, req, app.config.trustedProxies);
  const share = app.bodies.open(() => `address:${exchange.network(app.config.trustedProxies)}`);
  try {
    const match = app.router.find(exchange.method, exchange.path);
    // Called at once: headers and body are available only until the first await.
    if (match && "route" in match) exchange.readFor(match.route, req);
    if (match && "route" in match && exchange.method !== "GET" && exchange.method !== "HEAD") {
      const { receive, streamsBody, maxBodyBytes = defaultMaxBodyBytes } = match.route;
      body = receive || streamsBody ? exchange.streamBody(maxBodyBytes, share) : exchange.readBody(maxBodyBytes, share);
      if (body instanceof Promise) body.catch(() => {});
    }
    if (match && "route" in match && match.route.waitsInLine) {
      // Whoever waits keeps nothing but the request, and takes no turn from others. A slow body keeps no place.
      await body;
      exchange.place = await app.wholeStates.enter(exchange);
      if (!exchange.place) throw new ClientGone();
    }
    const turn = app.turns.take();
    if (turn) {
      await turn;
      if (exchange.isGone) throw new ClientGone();
    }
    if (!match) throw new ApiError(404, "BAD_REQUEST", "There is no such endpoint.");
    if ("allowed" in match) {
      status = replyWrongMethod(exchange, match);
      return;
    }
    const { route } = match;
    name = route.path;
    exchange.mayCompress = match.mayCompress;
    const reply = await replyTo(app, exchange, route, match.path, body, share);
    const sent = reply.sendTo(exchange);
    status = typeof sent === "number" ? sent : await sent;
  } catch (error) {
    // A connection that is not read from would keep its client from reading the answer.
    if (body instanceof BodyStream && !exchange.isGone) body.drop();
    status = replyError(app, exchange, error);
  } finally {
    share.release();
    const ms = performance.now() - started;
    app.metrics.request(name, exchange.method, status, ms / 1000);
    if (exchange.span) endTrace(exchange, exchange.span, name, status);
    if (isLogged) logRequest(app, exchange, status, ms);
  }
}

function logRequest({ log }: App, { method, path, requestId }: Exchange, status: number, ms: number): void {
  log.debug({ method, path: loggedPath(path), request: requestId, status, ms: Math.round(ms * 10) / 10 }, "request");
}

/** Goes on with the trace of whoever asks. A trusted proxy may decide whether it is sampled, and a stranger may not. */
const beginTrace = (tracer: Tracer, { method }: Exchange, req: HttpRequest, proxies: number): Span | undefined =>
  tracer.begin(method, "server", req.getHeader("traceparent"), proxies > 0);

/** @param route its path as declared: addresses may have secrets in them */
function endTrace({ method }: Exchange, span: Span, route: string, status: number): void {
  span.name = `${method} ${route}`;
  const attributes = { "http.request.method": method, "http.route": route, "http.response.status_code": status };
  span.end(attributes, status >= 500 ? `status ${status}` : undefined);
}

async function replyTo(
  app: App,
  exchange: Exchange,
  route: Endpoint,
  path: Map<string, string>,
  body: Promise<Buffer> | BodyStream | undefined,
  share: BodyShare,
): Promise<Reply> {
  if (route.isAboutNode) return replyOf(await route.handle({ app, exchange }));
  // Known results are not awaited: a turn of the microtask queue costs as much as the rest of a short request.
  const realm = app.system.readyRealm(exchange.host) ?? (await app.system.realmByHost(exchange.host));
  const parts = [app, exchange, route, path, body, share] as const;
  return askAgainIfMoved(app.system, exchange, { realm, isStream: body instanceof BodyStream }, (home, served) =>
    replyFrom(home, served, ...parts),
  );
}

/** Has an organization answer. @param served as handlers know it */
async function replyFrom(
  realm: ServedRealm,
  served: ServedRealm,
  app: App,
  exchange: Exchange,
  route: Endpoint & RealmRoute,
  path: Map<string, string>,
  body: Promise<Buffer> | BodyStream | undefined,
  share: BodyShare,
): Promise<Reply> {
  if (realm.state.row.is_deactivated) throw errors.REALM_DEACTIVATED();
  const known = route.auth.includes("apiKey") ? app.authenticator.known(exchange.authorization) : undefined;
  const { user, session, key }: Caller =
    known && holds(known, realm) ? holderOf(known, realm) : await authenticate(app, exchange, realm, route);
  if (user && !session) app.authenticator.checkNetwork(realm, user, exchange);
  const allowance = countRequest(app, exchange, realm, route, user);
  if (allowance) admit(exchange, allowance instanceof Promise ? await allowance : allowance);
  exchange.countAnswer = (bytes) =>
    app.answers.take(user ? `account:${user.id}` : exchange.network(app.config.trustedProxies), bytes);
  if (user) checkKind(user, route);
  if (key) checkScope(key.scope, route);
  const call: Call = { app, exchange, realm: served, route, path, user, session, key };
  const fields = new Map<string, string>();
  addUrlencoded(fields, exchange.query);
  if (body instanceof BodyStream) {
    if (!route.streamsBody) return replyWhileReceiving(call, fields, body);
    const reply = await handle(call, fields, [], [], body);
    body.drop();
    return reply;
  }
  const files = body ? await readForm(call, fields, await body, share) : [];
  return handle(call, fields, files, []);
}

/** A request of which all is known but what its body says. */
interface Call extends Pick<AnyRequest, "app" | "exchange" | "realm" | "user" | "session" | "key"> {
  route: Endpoint & RealmRoute;
  path: Map<string, string>;
}

/** Reads the fields of a body that is in memory. Returns its files. */
async function readForm(
  { app, exchange, route, user }: Call,
  fields: Map<string, string>,
  body: Buffer,
  share: BodyShare,
): Promise<UploadedFile[]> {
  if (user) share.claim(user.id);
  if (body.length > largeBodyBytes) {
    await app.largeBodies.next();
    if (exchange.isGone) throw new ClientGone();
  }
  if (isMultipart(exchange)) return parseMultipart(exchange.contentType, [body], fields, keepInMemory);
  if (route.bodyParam !== undefined && isWhole(exchange.contentType, body)) {
    if (body.length > 0)
      fields.set(route.bodyParam, checkText(body.toString("utf8").replace(/^\uFEFF/, ""), route.bodyParam));
  } else if (body.length > 0) addUrlencoded(fields, body.toString("utf8"));
  return [];
}

/** Answers a request whose file is stored while it comes in. What a request that fails has stored is removed. */
async function replyWhileReceiving(call: Call, fields: Map<string, string>, body: BodyStream): Promise<Reply> {
  const { app, exchange, realm, route, user } = call;
  const receiver = await route.receive!({ app, realm, user, announced: body.announced });
  let isKept = false;
  try {
    let received: ReceivedFile[] = [];
    if (isMultipart(exchange))
      received = await parseMultipart(exchange.contentType, body, fields, (file, pieces) =>
        receiver.take(file, pieces),
      );
    else body.drop();
    const reply = await handle(call, fields, [], received);
    isKept = true;
    return reply;
  } finally {
    await receiver.close(isKept);
  }
}

const isMultipart = ({ contentType }: Exchange): boolean => /^multipart\/form-data/i.test(contentType);

async function handle(
  { app, exchange, realm, route, path, user, session, key }: Call,
  fields: Map<string, string>,
  files: UploadedFile[],
  received: ReceivedFile[],
  body?: BodyStream,
): Promise<Reply> {
  if (route.restParam !== undefined && !fields.has(route.bodyParam ?? ""))
    gatherRest(route.params, fields, route.restParam);
  const { params, ignored } = readParams(route.params, fields, path);
  if (ignored.length > 0) checkIgnored(route, ignored);
  if (user && route.permission) checkRole(user, route.permission);
  const client = clientName(exchange.userAgent);
  const request = { app, realm, user, session, key, params, files, received, body, client, exchange };
  const answer = answerOf(route, request);
  const reply = replyOf(answer instanceof Promise ? await answer : answer);
  return ignored.length > 0 ? reply.withIgnored(ignored) : reply;
}

/**
 * Whether a body is one value and no form. Many programs, curl among them, call JSON a form unless told, so its look
 * decides: no form begins like an object or a list.
 */
function isWhole(contentType: string, body: Buffer): boolean {
  return (
    !/^application\/x-www-form-urlencoded/i.test(contentType) || /^\uFEFF?\s*[[{]/.test(body.toString("utf8", 0, 100))
  );
}

/**
 * Parameters that name whom a change is made to, or on whose behalf. Without them it would be made to, or by, somebody
 * else.
 */
const aboutWhom = new Set(["target_users", "principals", "user_ids", "group_ids", "bot_owner_id", "sender", "forged"]);

/** @throws BAD_REQUEST for a change with such a parameter that its endpoint does not know */
function checkIgnored(route: Endpoint, ignored: readonly string[]): void {
  const name = route.method === "GET" ? undefined : ignored.find((parameter) => aboutWhom.has(parameter));
  if (name !== undefined) throw badRequest(`${name} is not supported here, so nothing was done.`);
}

/** Who asks, and by what: a log-in, a further key, or else the account's own key. */
interface Caller {
  user: UserRow | undefined;
  session?: LogIn | undefined;
  key?: FurtherKey | undefined;
}

async function authenticate(app: App, exchange: Exchange, realm: ServedRealm, route: Route): Promise<Caller> {
  const isOpen = route.auth.includes("anybody");
  if (route.auth.includes("apiKey") && exchange.authorization !== "")
    return app.authenticator.byApiKey(realm, exchange);
  if (route.auth.includes("bearer") && exchange.authorization !== "")
    return app.authenticator.byBearer(realm, exchange);
  if (route.auth.includes("cookie") && exchange.cookie !== "") {
    const found = await app.authenticator.byCookie(realm, exchange, !route.isAutomatic);
    if (found) return found;
  }
  if (isOpen) return { user: undefined };
  throw errors.UNAUTHENTICATED_USER();
}

/**
 * Takes the request from its caller's budget: synchronously if no other node takes from it. Undefined: it is not
 * limited.
 */
export function countRequest(
  app: App,
  exchange: Exchange,
  realm: ServedRealm,
  route: Route,
  user: UserRow | undefined,
): Allowance | Promise<Allowance> | undefined {
  if (!app.config.hasRateLimits || route.rateLimit === "none") return undefined;
  const limiter = app.rateLimiters.of(realm);
  if (!user)
    return limiter.takeShared("api_by_ip", {
      realmId: realm.id,
      address: exchange.remoteAddress(app.config.trustedProxies),
    });
  const own = limiter.takeShared(route.rateLimit ?? "api_by_user", user.id);
  if (user.bot_owner_id === null) return own;
  const shared = limiter.takeShared("api_by_bots_of_owner", user.bot_owner_id);
  return Promise.all([own, shared]).then(([one, all]) => tighter(one, all));
}

/** Adds headers that tell what is left. @throws RATE_LIMIT_HIT */
export function admit(exchange: Exchange, allowance: Allowance): void {
  exchange.headers.push(
    ["X-RateLimit-Limit", String(allowance.limit)],
    ["X-RateLimit-Remaining", String(allowance.remaining)],
    ["X-RateLimit-Reset", String(allowance.resetAt)],
  );
  if (!allowance.isAllowed) throw errors.RATE_LIMIT_HIT({ "retry-after": allowance.retryAfterSecs });
}

/** The part of the User-Agent before the first `/` or space. https://zulip.com/api/http-headers */
export function clientName(userAgent: string): string {
  // It is kept with messages and queues, without the rest of the header.
  const name = detached(upTo(userAgent, /[/ ]/).slice(0, 30), userAgent);
  return name === "" ? "Unspecified" : name;
}

/** A path for the log, without parts that may be secrets (keys of invitations, temporary addresses). */
export function loggedPath(path: string): string {
  return path.slice(0, 500).replace(/[^/]{16,}/g, "…");
}

/**
 * What a caller is told of whatever was thrown. A bug is logged. Undefined: the caller has gone.
 */
export function refusalOf({ log }: App, exchange: Exchange, thrown: unknown): ApiError | undefined {
  const error: unknown = translate(thrown);
  if (error instanceof ClientGone || (error instanceof StatementEnded && exchange.isGone)) return undefined;
  if (error instanceof ApiError) return error;
  if (error instanceof RealmGone) return errors.NONEXISTENT_SUBDOMAIN();
  if (error instanceof BodyTooLarge) return new ApiError(413, "BAD_REQUEST", error.message);
  if (error instanceof StorageRefusesChanges) return errors.SERVICE_UNAVAILABLE(`Nothing was done: ${error.message}.`);
  if (error instanceof StorageConflict)
    return errors.SERVICE_UNAVAILABLE("The database could not do this beside what others did. Please ask again.");
  if (error instanceof StatementEnded)
    return errors.SERVICE_UNAVAILABLE("This takes the database too long. Please ask for less.");
  if (error instanceof StorageUnavailable)
    return errors.SERVICE_UNAVAILABLE("The database is not available right now.");
  if (error instanceof FilesUnavailable) {
    log.warn({ err: error.message }, "files");
    return errors.SERVICE_UNAVAILABLE("Files are not available right now. Please try again.");
  }
  const { method, id: request } = exchange;
  log.error({ err: error, method, path: loggedPath(exchange.path), request }, "a bug answered 500");
  return errors.INTERNAL_SERVER_ERROR();
}

/** How somebody without credentials is asked for them. */
function schemeFor(path: string): string {
  if (path === "/mcp") return "Bearer";
  // Asked for Basic, a browser would have its person type a password into its own dialog, and the page wait for it.
  return path.startsWith("/api/") ? "Basic" : "Session";
}

/** The only place where an error becomes JSON. Returns the status. */
export function replyError(app: App, exchange: Exchange, thrown: unknown): number {
  const error = refusalOf(app, exchange, thrown);
  if (!error) return 499;
  if (isScim(exchange.path)) return replyScim(exchange, error);
  if (error.status === 401) exchange.headers.push(["WWW-Authenticate", `${schemeFor(exchange.path)} realm="zulip"`]);
  exchange.headers.push(...retryHeaders(error));
  exchange.replyJson(error.status, errorBody(error));
  return error.status;
}
