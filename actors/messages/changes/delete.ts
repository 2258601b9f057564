/** Deleting messages: one, a topic's, or expired ones. Nothing is kept of a deleted message. */

import type { ChannelId, MessageId, UserId } from "../../../storage/ids.ts";
import { findTopicMessages } from "../../../storage/messages/changes.ts";
import { takesMessages } from "../../channels/channel-machine.ts";
import { badRequest } from "../../errors.ts";
import { accessChannel, canReadContent, canReadHistory } from "../../realm/access.ts";
import type { Command } from "../../realm/command.ts";
import { memoryOf } from "../../realm/memory.ts";
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
export const deleteTopicMessages: Command<DeleteTopicArgs, DeleteTopicReply> = ({ realm }, args) => ({
  decide: async (tx) => {
    const user = tx.user(args.userId);
    const channel = accessChannel(tx.state, user, args.channelId);
    if (!takesMessages(channel) || !canReadContent(tx.state, channel, user)) throw badRequest("Invalid channel ID");
    if (!canDeleteAny(tx.state, user, channel)) throw badRequest("You don't have permission to delete this topic");
    const found = await findTopicMessages(tx.sql, channel.recipient_id, meantTopic(args.topic), {
      toId: args.toId,
      receivedBy: canReadHistory(tx.state, channel, user) ? undefined : user.id,
      limit: maxDeletedAtOnce,
    });
    const { recipient_id } = channel;
    await erase(
      tx,
      found.map(({ id, topic }) => ({ id, topic, recipient_id, channel_id: channel.id })),
    );
    return { complete: found.length < maxDeletedAtOnce, toId: (found[0]?.id ?? 0) - 1 };
  },
  committed: () => memoryOf(realm, knownTopics).clear(),
});
