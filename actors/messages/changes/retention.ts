/**
 * Deleting messages that are older than the retention of their channel. It is the channel's own, else the
 * organization's, which also holds for direct messages.
 */

import type { RecipientId } from "../../../storage/ids.ts";
import { findMessages } from "../../../storage/messages/messages.ts";
import { findExpiredIds } from "../../../storage/messages/retention.ts";
import type { ChannelRow } from "../../../storage/rows.ts";
import type { Command } from "../../realm/command.ts";
import { memoryOf } from "../../realm/memory.ts";
import type { RealmState } from "../../realm/state/state.ts";
import { knownTopics } from "../../topics/known-topics.ts";
import { maxDeletedAtOnce } from "./delete.ts";
import { erase } from "./erase.ts";

const secondsPerDay = 86_400;

/** Days for which messages are kept in a channel (undefined: in direct conversations), or undefined for ever. */
export function keptDays(state: RealmState, channel: ChannelRow | undefined): number | undefined {
  const days = channel?.message_retention_days ?? state.setting("message_retention_days");
  return days > 0 ? days : undefined;
}

/** Messages sent before this time have expired. UNIX seconds. */
export function expiryOf(state: RealmState, channel: ChannelRow | undefined, now: number): number | undefined {
  const days = keptDays(state, channel);
  return days === undefined ? undefined : now - days * secondsPerDay;
}

/** Deletes one batch of a conversation's expired messages, the oldest first. */
export const expireMessages: Command<{ recipientId: RecipientId }, { more: boolean }> = (
  { realm },
  { recipientId },
) => ({
  decide: async (tx) => {
    const before = expiryOf(tx.state, tx.state.channelByRecipient(recipientId), tx.now);
    if (before === undefined) return { more: false };
    const ids = await findExpiredIds(tx.sql, recipientId, before, maxDeletedAtOnce);
    await erase(tx, await findMessages(tx.sql, tx.realmId, ids));
    return { more: ids.length === maxDeletedAtOnce };
  },
  committed: () => memoryOf(realm, knownTopics).clear(),
});
