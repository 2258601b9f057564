/** Events by long polling. https://zulip.com/api/get-events */
import type { ClientEvent } from "../events.ts";
import { type Access, request } from "../request.ts";
import type { Attempt, Cursor } from "./attempt.ts";

/** One poll. @throws ApiError */
export async function poll(
  access: Access,
  { queueId, lastEventId }: Cursor,
  { signal, isRetry, alive, take }: Attempt,
): Promise<void> {
  const params = { queue_id: queueId, last_event_id: lastEventId, dont_block: isRetry ? true : undefined };
  const { events } = await request<{ events: ClientEvent[] }>(access, "GET", "/events", params, { signal });
  alive();
  take(events);
}
