/** Takes over the registration of a queue that this node does not hold. */
import { type ClaimedRow, claimEventQueue, readClock, unpolledSecs } from "../../storage/event-queues.ts";
import type { LogPosition, UserId } from "../../storage/ids.ts";
import { translate } from "../../storage/postgres.ts";
import { timely } from "../../storage/timely.ts";
import { errors } from "../errors.ts";
import type { QueuedRealm } from "./queued-realm.ts";
import type { Upkeep } from "./upkeep.ts";

/** A queue's row that takes longer to come was lost on the way: the next poll asks anew. */
const claimOverdueMs = 4000;

/** Whose queue is wanted, and what its client has. */
export interface QueueRequest {
  queueId: string;
  userId: UserId;
  /** -1 acknowledges nothing. */
  lastEventId: LogPosition;
}

/**
 * The queue's row under a new claim.
 *
 * @param isClosed whether the realm has been dropped @throws BAD_EVENT_QUEUE_ID for a queue that is unknown, somebody
 * else's, or past its time-out. Also when its client was told of what the database has lost.
 */
export async function claimQueue(
  { environment, state, database, id: realmId }: QueuedRealm,
  upkeep: Upkeep,
  isClosed: () => boolean,
  { queueId, userId, lastEventId }: QueueRequest,
): Promise<ClaimedRow> {
  const unknown = errors.BAD_EVENT_QUEUE_ID({ queue_id: queueId });
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(queueId) || upkeep.forgets(queueId)) throw unknown;
  let row: ClaimedRow | undefined;
  try {
    const claim = claimEventQueue(database.sql, { id: queueId, realmId, userId, lastEventId });
    row = await timely(database, claimOverdueMs, claim);
  } catch (error) {
    throw translate(error);
  }
  // The realm was dropped meanwhile. The claim stands, and the next poll makes a newer one.
  if (isClosed()) throw errors.SERVICE_UNAVAILABLE("The organization is being loaded again.");
  if (!row) throw unknown;
  const unpolled = unpolledSecs(row, readClock(environment));
  if (row.is_beyond_log || unpolled > row.idle_timeout_secs || !state.users.get(userId)?.is_active) {
    upkeep.forget({ id: queueId, claim: row.claim });
    throw unknown;
  }
  return row;
}
