/** Long polling of event queues. */
import { array, integer, string, type } from "superstruct";
import { badRequest, errors } from "../../../actors/errors.ts";
import { bool, defaultMaxBodyBytes, int, type Param, text } from "../../api/params.ts";
import { Later } from "../../api/reply.ts";
import { anyAccount, route } from "../../api/route.ts";

/** Characters of a `queue_id`; those that are handed out have 36. */
const maxQueueIdLength = 100;

/** The id of a queue, which nobody has when it is much longer than those are. @throws BAD_EVENT_QUEUE_ID */
export const queueIdParam = (): Param<string> =>
  text()
    .atMost(defaultMaxBodyBytes)
    .checked((id) => {
      if (id.length > maxQueueIdLength) throw errors.BAD_EVENT_QUEUE_ID({ queue_id: id.slice(0, maxQueueIdLength) });
    });

/** Its other fields depend on its type. */
const event = type({ id: integer(), type: string() });

/**
 * Gets a queue's events after `last_event_id`, waiting for one if there is none. The poll is parked in the queue and
 * answered from there: no promise, no timer and no copy per poll. https://zulip.com/api/get-events
 */
export const getEvents = route({
  doc: "https://zulip.com/api/get-events",
  summary: "Gets events from a queue, waiting for the first one if there is none.",
  auth: anyAccount,
  params: { queue_id: queueIdParam(), last_event_id: int().optional(), dont_block: bool().default(false) },
  returns: {
    events: array(event),
    queue_id: string(),
  },
  async handle({ realm, user, params, exchange }) {
    const { queue_id: queueId, last_event_id: lastEventId } = params;
    if (lastEventId === undefined) throw badRequest("Missing 'last_event_id' argument");
    if (lastEventId < -1) throw badRequest("last_event_id is too small");
    const waiter = { answer: (body: Uint8Array) => exchange.replyJson(200, body) };
    const queue = await realm.queues.poll(
      { queueId, userId: user.id, lastEventId, dontBlock: params.dont_block, keyVersion: user.api_key_version },
      waiter,
    );
    exchange.onGone(() => realm.queues.unpark(queue, waiter));
    return new Later();
  },
});

/** Ends a queue. https://zulip.com/api/delete-queue */
export const deleteQueue = route({
  doc: "https://zulip.com/api/delete-queue",
  summary: "Deletes an event queue.",
  auth: anyAccount,
  params: { queue_id: queueIdParam() },
  returns: {},
  async handle({ realm, user, params }) {
    if (params.queue_id === "") throw errors.BAD_EVENT_QUEUE_ID({ queue_id: "" });
    await realm.queues.delete(params.queue_id, user.id);
    return {};
  },
});
