/**
 * Deleting messages that are past the time for which their channel keeps them: the channel's own, or else the
 * organization's, which holds for direct messages too.
 */
import { findMessages } from "../../storage/messages/messages.ts";
import {
  type Expiry,
  findExpired,
  findExpiredConversations,
  findExpiredIds,
  findRealmsWithExpired,
} from "../../storage/messages/retention.ts";
import type { ChannelRow } from "../../storage/rows.ts";
import type { Job } from "../jobs.ts";
import type { Command } from "../realm/command.ts";
import type { RealmActor } from "../realm/realm.ts";
import type { RealmState } from "../realm/state/state.ts";
import { deleteMessages, maxDeletedAtOnce } from "./delete.ts";

const secondsPerDay = 86_400;
/** Messages are kept for days, so ten minutes more or less are nothing. */
const everySecs = 600;
/** A realm is looked at this often while it sleeps, at the beginning of every interval. */
const wakeSlackSecs = 5;
/** At most so many commands in one run: a backlog of years is worked off in many, and other commands come between. */
const maxBatches = 200;
const maxConversations = 1000;

/** Days for which messages are kept in a channel (undefined: in direct conversations), or undefined for ever. */
export function keptDays(state: RealmState, channel: ChannelRow | undefined): number | undefined {
  const days = channel?.message_retention_days ?? (state.setting("message_retention_days") as number);
  return days > 0 ? days : undefined;
}

/** Before which time messages are past theirs, UNIX seconds. */
function expiryOf(state: RealmState, channel: ChannelRow | undefined, now: number): number | undefined {
  const days = keptDays(state, channel);
  return days === undefined ? undefined : now - days * secondsPerDay;
}

/** Deletes the oldest messages of a conversation that are past their time, one batch of them. */
export const expireMessages: Command<{ recipientId: number }, { more: boolean }> = ({ realm }, { recipientId }) => ({
  decide: async (tx) => {
    const before = expiryOf(tx.state, tx.state.channelByRecipient(recipientId), tx.now);
    if (before === undefined) return { more: false };
    const ids = await findExpiredIds(tx.sql, recipientId, before, maxDeletedAtOnce);
    await deleteMessages(tx, await findMessages(tx.sql, tx.realmId, ids));
    return { more: ids.length === maxDeletedAtOnce };
  },
  committed: () => realm.topics.clear(),
});

/** Deletes what is past its time in a realm. */
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
async function findDue({ id, state, database }: RealmActor, now: number): Promise<number[]> {
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
