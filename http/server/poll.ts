/**
 * The short way of a poll. `GET /events` is nearly every request that a busy server gets, and the whole of a raw
 * delivery costs a few microseconds. The pipeline with its promises, maps and decoders would cost more than what it is
 * for. This file serves the ordinary poll (a known key, a live queue of this node, the two usual parameters) in one
 * synchronous go. It leaves every other one to the pipeline, which answers it exactly alike:
 * `test/scenario/queues.test.ts` compares the two.
 */
import { eventQueues } from "../../actors/event-queue/memory.ts";
import type { EventQueue, Poll } from "../../actors/event-queue/queue.ts";
import { memoryOf } from "../../actors/realm/memory.ts";
import type { ServedRealm } from "../../actors/realm/served.ts";
import { hasAllowedNetworks, mayComeFrom } from "../../actors/users/log-ins/policy.ts";
import type { LogPosition, UserId } from "../../storage/ids.ts";
import type { App } from "../api/app.ts";
import { holds } from "../api/auth.ts";
import { clientAddress } from "./addresses.ts";
import type { HttpRequest, HttpResponse } from "./builds/uws-interface.ts";
import { HeaderBlock, jsonHeaders } from "./header-block.ts";
import { allLines, wantsStream } from "./request-headers.ts";

export const pollPath = "/api/v1/events";

/** Writes answers one after another: one closure for all of them, not one per poll. */
class AnswerWriter {
  constructor(
    private readonly health: App["health"],
    private readonly jsonHeaders: HeaderBlock,
  ) {}

  #res!: HttpResponse;
  #limits: readonly (readonly [string, string])[] | undefined;
  #body!: Uint8Array;
  readonly #write = (): void => {
    const res = this.#res;
    this.jsonHeaders.writeTo(res);
    if (this.#limits !== undefined) for (const [name, value] of this.#limits) res.writeHeader(name, value);
    // A node that stops sends its clients to another one.
    res.end(this.#body, this.health.state === "draining");
  };

  write(res: HttpResponse, limits: readonly (readonly [string, string])[] | undefined, body: Uint8Array): void {
    this.#res = res;
    this.#limits = limits;
    this.#body = body;
    res.cork(this.#write);
  }
}

/** A parked poll: one small object, no promise, no timer. */
class ParkedPoll implements Poll {
  readonly isStream = false;
  isOver = false;

  constructor(
    private readonly writer: AnswerWriter,
    private readonly res: HttpResponse,
    private readonly limits: readonly (readonly [string, string])[] | undefined,
  ) {}

  answer(body: Uint8Array): void {
    if (this.isOver) return;
    this.isOver = true;
    this.writer.write(this.res, this.limits, body);
  }
}

const queueIdField = "queue_id=";
const lastEventIdField = "last_event_id=";
const queueIdLength = 36;

/** Serves a poll and returns true, or touches nothing and returns false. */
export type ServePoll = (res: HttpResponse, req: HttpRequest) => boolean;

export function pollServer(app: App): ServePoll {
  const writer = new AnswerWriter(app.health, new HeaderBlock(jsonHeaders));
  return (res, req) => servePoll(app, writer, res, req);
}

function servePoll(app: App, writer: AnswerWriter, res: HttpResponse, req: HttpRequest): boolean {
  const query = req.getQuery();
  if (query === undefined || app.health.state === "draining") return false;
  // queue_id and last_event_id, in either order, and nothing else.
  let queueId: string;
  let digits: string;
  if (query.startsWith(queueIdField) && query.startsWith(`&${lastEventIdField}`, queueIdField.length + queueIdLength)) {
    queueId = query.slice(queueIdField.length, queueIdField.length + queueIdLength);
    digits = query.slice(queueIdField.length + queueIdLength + 1 + lastEventIdField.length);
  } else if (query.startsWith(lastEventIdField)) {
    const end = query.indexOf("&");
    if (
      end < 0 ||
      !query.startsWith(queueIdField, end + 1) ||
      query.length !== end + 1 + queueIdField.length + queueIdLength
    )
      return false;
    digits = query.slice(lastEventIdField.length, end);
    queueId = query.slice(end + 1 + queueIdField.length);
  } else return false;
  const lastEventId = parseDigits(digits);
  if (lastEventId < 0 || wantsStream(req)) return false;
  const realm = app.system.onlyRealm ?? app.system.readyRealm(req.getHeader("host"));
  if (!realm) return false;
  const queue = memoryOf(realm, eventQueues).find(queueId);
  if (queue?.state !== "live" || lastEventId < queue.cursor || lastEventId > realm.position) return false;
  const authorization = req.getHeader("authorization");
  if (queue.credential?.authorization !== authorization) queue.credential = app.authenticator.known(authorization);
  const { credential, userId } = queue;
  if (credential === undefined || credential.userId !== userId || !holds(credential, realm)) return false;
  // The pipeline says why not.
  if (credential.onlySends || !comesFromAllowed(app, realm, userId, res, req)) return false;
  if (realm.state.row.is_deactivated) return false;
  let limits: [string, string][] | undefined;
  if (app.config.hasRateLimits) {
    const limiter = app.rateLimiters.of(realm);
    const allowance = limiter.take("api_by_user", userId);
    if (!allowance.isAllowed) {
      // The pipeline says so; it counts for itself.
      return false;
    }
    const owner = realm.state.users.get(userId)?.bot_owner_id ?? null;
    if (owner !== null && !limiter.take("api_by_bots_of_owner", String(owner)).isAllowed) return false;
    limits = [
      ["X-RateLimit-Limit", String(allowance.limit)],
      ["X-RateLimit-Remaining", String(allowance.remaining)],
      ["X-RateLimit-Reset", String(allowance.resetAt)],
    ];
  }
  park(app, realm, queue, lastEventId, new ParkedPoll(writer, res, limits), res);
  return true;
}

/** Whether somebody polls from where people of the organization may come from. */
function comesFromAllowed(
  app: App,
  { state }: ServedRealm,
  userId: UserId,
  res: HttpResponse,
  req: HttpRequest,
): boolean {
  if (!hasAllowedNetworks(state)) return true;
  const user = state.users.get(userId);
  if (!user) return false;
  const { trustedProxies } = app.config;
  return mayComeFrom(state, user, () => {
    const forwardedFor = trustedProxies > 0 ? allLines(req, "x-forwarded-for") : "";
    return clientAddress(forwardedFor, trustedProxies, Buffer.from(res.getRemoteAddressAsText()).toString("latin1"));
  });
}

function park(
  app: App,
  realm: ServedRealm,
  queue: EventQueue,
  lastEventId: LogPosition,
  poll: ParkedPoll,
  res: HttpResponse,
): void {
  res.onAborted(() => {
    poll.isOver = true;
    memoryOf(realm, eventQueues).unpark(queue, poll);
  });
  app.metrics.poll();
  memoryOf(realm, eventQueues).take(queue, lastEventId, poll);
}

/** Digits of a position, -1 for anything else. */
function parseDigits(digits: string): number {
  const { length } = digits;
  if (length === 0 || length > 15) return -1;
  let value = 0;
  for (let index = 0; index < length; index++) {
    const digit = digits.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}
