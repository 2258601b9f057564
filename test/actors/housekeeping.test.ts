/** Housekeeping while somebody sets the clock: a queue that is polled stays. */
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { housekeep } from "../../actors/housekeeping.ts";
import { insertEventQueue } from "../../storage/event-queues.ts";
import { storedRealm } from "../support/rooms/stored-realm.ts";

const stored = storedRealm();
const hourSecs = 3600;

it("keeps the queues when the clock is set back in the middle of it", async () => {
  const { database, now, realmId } = stored;
  const { sql } = database;
  const id = randomUUID();
  await insertEventQueue(sql, {
    id,
    realm_id: realmId,
    user_id: 7,
    registration: {},
    start_position: 0,
    snapshot_position: 0,
    cursor: 0,
    idle_timeout_secs: 600,
    seen_at: now,
    session_hash: null,
    generation: 1,
  });
  // It begins an hour ahead. The clock is set right when it is looked at for the second time.
  let looks = 0;
  const clock = () => (looks++ === 0 ? now + hourSecs : now);
  await housekeep({ database, clock, steadySince: () => now, limits: { maxQueuesPerUser: 10 } });
  expect(looks).toBeGreaterThan(1);
  expect(await sql`select id from event_queues`).toEqual([{ id }]);
});
