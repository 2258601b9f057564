/** Deleting messages that have expired, one batch at a time and the oldest first. */
import type { RecipientId } from "../../storage/ids.ts";
import { findMessages } from "../../storage/messages/messages.ts";
import { findExpiredDirect, findExpiredIds } from "../../storage/messages/retention.ts";
import { maxDeletedAtOnce } from "../messages/changes/delete.ts";
import { erase } from "../messages/changes/erase.ts";
import { type Command, command } from "../realm/command.ts";
import { memoryOf } from "../realm/memory.ts";
import type { Tx } from "../realm/transaction.ts";
import { knownTopics } from "../topics/known-topics.ts";
import { channelExpiry, directExpiry } from "./policy.ts";

/** Deletes one batch of a channel's expired messages. */
export const expireMessages: Command<{ recipientId: RecipientId }, { more: boolean }> = (
  { realm },
  { recipientId },
) => ({
  decide: async (tx) => {
    const channel = tx.state.channelByRecipient(recipientId);
    const before = channel && channelExpiry(tx.state, channel, tx.now);
    if (before === undefined) return { more: false };
    const ids = await findExpiredIds(tx.sql, recipientId, before, maxDeletedAtOnce);
    await erase(tx, await findMessages(tx.sql, tx.realmId, ids));
    return { more: ids.length === maxDeletedAtOnce };
  },
  committed: () => memoryOf(realm, knownTopics).clear(),
});

/** Deletes one batch of expired direct messages, of whichever conversations. */
export const expireDirectMessages = command(async (tx: Tx, _: object) => {
  const before = directExpiry(tx.state, tx.now);
  if (before === undefined) return { more: false };
  const ids = await findExpiredDirect(tx.sql, tx.realmId, before, maxDeletedAtOnce);
  await erase(tx, await findMessages(tx.sql, tx.realmId, ids));
  return { more: ids.length === maxDeletedAtOnce };
});
