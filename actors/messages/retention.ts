/**
 * Deleting messages that are past the time for which their channel keeps them: the channel's own, or else the
 * organization's, which holds for direct messages too.
 */
import type { RecipientId } from "../../storage/ids.ts";
import { findMessages } from "../../storage/messages/messages.ts";
import { findExpiredIds } from "../../storage/messages/retention.ts";
import type { ChannelRow } from "../../storage/rows.ts";
import type { Command } from "../realm/command.ts";
import type { RealmState } from "../realm/state/state.ts";
import { decide, maxDeletedAtOnce, perform } from "./changes/delete.ts";

const secondsPerDay = 86_400;

/** Days for which messages are kept in a channel (undefined: in direct conversations), or undefined for ever. */
export function keptDays(state: RealmState, channel: ChannelRow | undefined): number | undefined {
  const days = channel?.message_retention_days ?? (state.setting("message_retention_days") as number);
  return days > 0 ? days : undefined;
}

/** Before which time messages are past theirs, UNIX seconds. */
export function expiryOf(state: RealmState, channel: ChannelRow | undefined, now: number): number | undefined {
  const days = keptDays(state, channel);
  return days === undefined ? undefined : now - days * secondsPerDay;
}

/** Deletes the oldest messages of a conversation that are past their time, one batch of them. */
export const expireMessages: Command<{ recipientId: RecipientId }, { more: boolean }> = (
  { realm },
  { recipientId },
) => ({
  decide: async (tx) => {
    const before = expiryOf(tx.state, tx.state.channelByRecipient(recipientId), tx.now);
    if (before === undefined) return { more: false };
    const ids = await findExpiredIds(tx.sql, recipientId, before, maxDeletedAtOnce);
    await perform(tx, decide("existing", { type: "retention.ended" }), await findMessages(tx.sql, tx.realmId, ids));
    return { more: ids.length === maxDeletedAtOnce };
  },
  committed: () => realm.topics.clear(),
});
