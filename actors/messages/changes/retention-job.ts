/** Deletes expired messages little by little. */
import type { RecipientId } from "../../../storage/ids.ts";
import {
  type Expiry,
  findExpired,
  findExpiredConversations,
  findRealmsWithExpired,
} from "../../../storage/messages/retention.ts";
import type { Job } from "../../realm/job.ts";
import type { RealmReader } from "../../realm/reader.ts";
import { expiryOf } from "./retention.ts";

/** Messages are kept for days, so ten minutes more do not matter. */
const everySecs = 600;
/** A job looks at a passivated realm within this time from the beginning of every interval. */
const wakeSlackSecs = 5;
/** The most commands in one run. A backlog of years takes many runs, and other commands come between. */
const maxBatches = 200;
const maxConversations = 1000;

/** Deletes a realm's expired messages. */
export const retentionJob: Job = {
  name: "delete messages past their retention",
  everySecs,
  async run(realm, now) {
    let batches = 0;
    for (const recipientId of await findDue(realm, now)) {
      for (let more = true; more; batches++) {
        if (batches === maxBatches) return;
        more = (await realm.execute("expireMessages", { recipientId })).more;
      }
    }
  },
  findWaiting: async (sql, now) => (now % everySecs < wakeSlackSecs ? findRealmsWithExpired(sql, now) : []),
};

/** Conversations with something to delete. */
async function findDue({ id, state, database }: RealmReader, now: number): Promise<RecipientId[]> {
  const expiries: Expiry[] = [];
  for (const channel of state.channels.values()) {
    const before = expiryOf(state, channel, now);
    if (before !== undefined && channel.first_message_id !== null)
      expiries.push({ recipientId: channel.recipient_id, before });
  }
  const due = await findExpired(database.sql, expiries);
  const before = expiryOf(state, undefined, now);
  if (before !== undefined) due.push(...(await findExpiredConversations(database.sql, id, before, maxConversations)));
  return due;
}
