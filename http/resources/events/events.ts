/** Events of queues, by long polling or on a stream. */

import { array, string } from "superstruct";
import { badRequest, errors } from "../../../actors/errors.ts";
import { eventQueues } from "../../../actors/event-queue/memory.ts";
import type { Poll } from "../../../actors/event-queue/queue.ts";
import { sentEvent } from "../../../actors/events/events.ts";
import { memoryOf } from "../../../actors/realm/memory.ts";
import { described } from "../../../actors/shape.ts";
import type { LogPosition } from "../../../storage/ids.ts";
import { bool, defaultMaxBodyBytes, int, type Param, text } from "../../api/params.ts";
import { Later } from "../../api/reply.ts";
import { anyAccount, route } from "../../api/route.ts";

/** Longest `queue_id`. The server makes ids of 36 characters. */
const maxQueueIdLength = 100;

/** The id of a queue. A longer text cannot be one. @throws BAD_EVENT_QUEUE_ID */
export const queueIdParam = (): Param<string> =>
  text()
    .atMost(defaultMaxBodyBytes)
    .checked((id) => {
      if (id.length > maxQueueIdLength) throw errors.BAD_EVENT_QUEUE_ID({ queue_id: id.slice(0, maxQueueIdLength) });
    });

/**
 * Gets a queue's events after `last_event_id`, or waits for the next one. The queue holds the waiting poll and answers
 * it: a poll costs no promise, no timer and no copy. https://zulip.com/api/get-events
 *
 * With `Accept: text/event-stream` the events come on a stream. The Zulip API has no such streams.
 */
export const getEvents = route({
  doc: "https://zulip.com/api/get-events",
  summary: "Gets events from a queue, waiting for the first one if there is none.",
  stream:
    "Parley's own, not in Zulip: with `Accept: text/event-stream` the connection stays, and each event is sent as it happens, " +
    "its id in `id:` and in `data:` the JSON that a poll would have among its `events`. Comments say that the connection lives. " +
    "The stream ends when the queue is asked for again, the key is over, the server stops, or after about an hour: ask again " +
    "with `Last-Event-ID`. Errors before it begins are JSON. With `dont_block` it ends behind what there is.",
  auth: anyAccount,
  isAutomatic: true,
  params: {
    queue_id: queueIdParam(),
    last_event_id: int<LogPosition>()
      .optional()
      .describe("The newest event that the client has; of a new queue, what POST /register said."),
    dont_block: bool().default(false).describe("Whether to answer at once, also when there is nothing."),
  },
  returns: {
    events: described(
      array(sentEvent),
      "The events after `last_event_id`, oldest first. Their fields are in openapi.json.",
    ),
    queue_id: string(),
  },
  async handle({ realm, user, session, key, params, exchange }) {
    const openedBy = session ?? key;
    const { queue_id: queueId } = params;
    const lastEventId = newestKnown(params.last_event_id, exchange.lastEventId);
    if (lastEventId < -1) throw badRequest("last_event_id is too small");
    const poll = {
      queueId,
      userId: user.id,
      lastEventId,
      dontBlock: params.dont_block,
      keyVersion: user.api_key_version,
      session: openedBy,
    };
    const queues = memoryOf(realm, eventQueues);
    if (exchange.wantsStream) {
      const stream = exchange.eventStream(openedBy?.id);
      stream.serve(queues, await queues.poll(poll, stream));
    } else {
      const answer = (body: Uint8Array) => exchange.replyJson(200, body);
      const waiter: Poll = { isStream: false, sessionId: openedBy?.id, answer };
      const queue = await queues.poll(poll, waiter);
      exchange.onGone(() => queues.unpark(queue, waiter));
    }
    return new Later();
  },
});

/**
 * The newest event that the client has. A browser reopens a broken stream with the same parameters, and sends its
 * newest event in a header.
 */
function newestKnown(parameter: LogPosition | undefined, header: string): LogPosition {
  if (header !== "" && !/^\d{1,15}$/.test(header))
    throw badRequest("The header Last-Event-ID is not the id of an event.");
  if (header !== "") return Math.max(Number(header), parameter ?? -1);
  if (parameter === undefined) throw badRequest("Missing 'last_event_id' argument");
  return parameter;
}

/** Ends a queue. https://zulip.com/api/delete-queue */
export const deleteQueue = route({
  doc: "https://zulip.com/api/delete-queue",
  summary: "Deletes an event queue.",
  auth: anyAccount,
  isUnaudited: true,
  params: { queue_id: queueIdParam() },
  returns: {},
  async handle({ realm, user, params }) {
    if (params.queue_id === "") throw errors.BAD_EVENT_QUEUE_ID({ queue_id: "" });
    await memoryOf(realm, eventQueues).delete(params.queue_id, user.id);
    return {};
  },
});
