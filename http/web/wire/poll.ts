/** Events by long polling. https://zulip.com/api/get-events */
import { call } from "./api.ts";
import type { Attempt, Cursor } from "./attempt.ts";
import type { PageEvent } from "./events.ts";

/** One poll. @throws ApiError */
export async function poll({ queueId, lastEventId }: Cursor, { signal, isRetry, alive, take }: Attempt): Promise<void> {
  const params = { queue_id: queueId, last_event_id: lastEventId, dont_block: isRetry ? true : undefined };
  const { events } = await call<{ events: PageEvent[] }>("GET", "/events", params, { signal });
  alive();
  take(events);
}
