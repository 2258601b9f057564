/** Has a route's handler answer: a read in its turn, a change with where it comes from for the audit log. */
import type { Origin } from "../../actors/realm/commit/audit.ts";
import { ReadRealm, RequestRealm, readInTime } from "../../actors/realm/served.ts";
import { mayBeLoss, StorageConflict, translate } from "../../storage/postgres.ts";
import type { UserRow } from "../../storage/rows.ts";
import { ClientGone } from "../server/unread-body.ts";
import type { ParamsSpec } from "./params.ts";
import type { Answer } from "./reply.ts";
import type { ApiRequest, RealmRoute } from "./route.ts";

/** Pause between two attempts of a read. */
const storageRetryMs = 100;

export type AnyRequest = ApiRequest<ParamsSpec, UserRow | undefined>;

/** The answer of a request whose caller may ask. */
export function answerOf(route: RealmRoute & { method: string }, request: AnyRequest): Promise<Answer> | Answer {
  if (route.method === "GET") return read(route, request);
  // What is not audited is only followed where somebody looks.
  const isFollowed = !route.isUnaudited || request.exchange.span || request.app.log.isLevelEnabled("debug");
  return route.handle(isFollowed ? traced(request) : request);
}

/**
 * A request whose changes are in the audit log. The address is asked for now: later the client may have gone.
 *
 * @param by who comes, where the route has found out by itself
 */
export function traced(request: AnyRequest, by: Partial<Origin> = {}): AnyRequest {
  const origin = { ...originOf(request), ...by };
  return { ...request, realm: new RequestRealm(request.realm, () => origin) };
}

function originOf({ app, user, session, key, exchange }: AnyRequest): Origin {
  const via = session ? "session" : key ? "further_key" : user ? "api_key" : "nobody";
  return {
    via,
    userId: user?.id,
    sessionId: (session ?? key)?.id,
    ipAddress: exchange.remoteAddress(app.config.trustedProxies),
    userAgent: exchange.userAgent,
    request: exchange.requestId,
    trace: exchange.span?.traceparent,
  };
}

/**
 * A read has its turn among its caller's, and ends when its client has gone. PostgreSQL ends what takes too long. When
 * it does not answer, nobody waits for the read.
 */
function read(route: RealmRoute, request: AnyRequest): Promise<Answer> | Answer {
  const { app, realm, user, exchange } = request;
  const { commandDeadlineMs, readTimeoutMs, trustedProxies } = app.config;
  const caller = user?.id ?? exchange.network(trustedProxies);
  let own: ReadRealm | undefined;
  const handle = (): Promise<Answer> | Answer => {
    if (exchange.isGone) throw new ClientGone();
    own = new ReadRealm(realm, () => originOf(request));
    return route.handle({ ...request, realm: own });
  };
  const end = () => {
    own = undefined;
    app.readTurns.release(caller);
  };
  const begin = (): Promise<Answer> | Answer => {
    let reading: Promise<Answer> | Answer | undefined;
    try {
      reading = handle();
    } finally {
      if (!(reading instanceof Promise)) end();
    }
    if (!(reading instanceof Promise)) return reading;
    exchange.onGone(() => own?.abort());
    const stored = onceStored(reading, handle, commandDeadlineMs).finally(end);
    return readInTime(realm, commandDeadlineMs + 2 * readTimeoutMs, stored);
  };
  const turn = app.readTurns.take(caller);
  return turn ? turn.then(begin) : begin();
}

/** Lets a read wait for a PostgreSQL that is restarting, as commands wait for their writer. */
async function onceStored<T>(reading: T | Promise<T>, readAgain: () => T | Promise<T>, deadlineMs: number): Promise<T> {
  const deadline = performance.now() + deadlineMs;
  for (let outcome = reading; ; outcome = readAgain()) {
    try {
      return await outcome;
    } catch (error) {
      const cause = translate(error);
      const mayPass = mayBeLoss(cause) || cause instanceof StorageConflict;
      if (!mayPass || performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, storageRetryMs));
    }
  }
}
