/** Deleting messages: one, a topic's, or expired ones. Nothing is kept of a deleted message. */

import type { ChannelId, MessageId, UserId } from "../../../storage/ids.ts";
import { findTopicMessages, firstMessageBeside } from "../../../storage/messages/changes.ts";
import type { Sql } from "../../../storage/postgres.ts";
import type { ChannelRow } from "../../../storage/rows.ts";
import { takesMessages } from "../../channels/channel-machine.ts";
import { badRequest } from "../../errors.ts";
import { accessChannel, canReadContent, canReadHistory } from "../../realm/access.ts";
import type { Command } from "../../realm/command.ts";
import { memoryOf } from "../../realm/memory.ts";
import type { Tx } from "../../realm/transaction.ts";
import { meantTopic } from "../../topics/empty-topic.ts";
import { knownTopics } from "../../topics/known-topics.ts";
import { canDeleteAny, checkCanDelete } from "../permissions.ts";
import { accessChangeable } from "./edit.ts";
import { erase } from "./erase.ts";

/**
 * Messages that one command may delete. Older clients get an event for each, for which positions are reserved
 * beforehand.
 */
export const maxDeletedAtOnce = 500;

export const deleteMessage: Command<{ userId: UserId; messageId: MessageId }, object> = ({ realm }, args) => ({
  decide: async (tx) => {
    const user = tx.user(args.userId);
    const message = await accessChangeable(tx, user, args.messageId);
    const channel = message.channel_id === null ? undefined : tx.state.channels.get(message.channel_id);
    checkCanDelete(tx.state, user, message, channel, tx.now);
    await erase(tx, [message]);
    return {};
  },
  committed: () => memoryOf(realm, knownTopics).clear(),
});

export interface DeleteTopicArgs {
  userId: UserId;
  channelId: ChannelId;
  topic: string;
  /** Only this message and earlier ones; undefined: all there are now. */
  toId?: MessageId;
}

export interface DeleteTopicReply {
  /** Whether nothing is left. */
  complete: boolean;
  /** Where the next batch begins. */
  toId: MessageId;
}

/** Deletes the newest messages of a topic, one batch of them. */
export const deleteTopicMessages: Command<DeleteTopicArgs, DeleteTopicReply> = async (context, args) => {
  const { realm, state, database } = context;
  const channel = state.channels.get(args.channelId);
  if (channel) await passDeleted(database.sql, channel, args);
  return { decide: (tx) => deleteBatch(tx, args), committed: () => memoryOf(realm, knownTopics).clear() };
};

/**
 * Looks for the batch, and for what comes first in the channel then, while others' commands are decided. Until a vacuum
 * the indexes lead to all that was deleted before. PostgreSQL marks what it passes in vain, so the looks of
 * `deleteBatch`, for which the others wait, are short.
 */
async function passDeleted(sql: Sql, channel: ChannelRow, { topic, toId }: DeleteTopicArgs): Promise<void> {
  const { recipient_id, first_message_id: first } = channel;
  const found = await findTopicMessages(sql, recipient_id, meantTopic(topic), { toId, limit: maxDeletedAtOnce });
  const ids = found.map(({ id }) => id);
  if (first !== null && ids.includes(first)) await firstMessageBeside(sql, recipient_id, ids, first);
}

async function deleteBatch(tx: Tx, args: DeleteTopicArgs): Promise<DeleteTopicReply> {
  const user = tx.user(args.userId);
  const channel = accessChannel(tx.state, user, args.channelId);
  if (!takesMessages(channel) || !canReadContent(tx.state, channel, user)) throw badRequest("Invalid channel ID");
  if (!canDeleteAny(tx.state, user, channel)) throw badRequest("You don't have permission to delete this topic");
  const { recipient_id } = channel;
  const found = await findTopicMessages(tx.sql, recipient_id, meantTopic(args.topic), {
    toId: args.toId,
    receivedBy: canReadHistory(tx.state, channel, user) ? undefined : user.id,
    limit: maxDeletedAtOnce,
  });
  await erase(
    tx,
    found.map(({ id, topic }) => ({ id, topic, recipient_id, channel_id: channel.id })),
  );
  return { complete: found.length < maxDeletedAtOnce, toId: (found[0]?.id ?? 0) - 1 };
}
