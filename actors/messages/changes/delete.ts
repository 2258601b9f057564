/** Deleting messages: one, a topic's, or expired ones. Nothing is kept of a deleted message. */

import type { ChannelId, MessageId, UserId } from "../../../storage/ids.ts";
import { findTopicMessages, firstMessageBeside } from "../../../storage/messages/changes.ts";
import type { Sql } from "../../../storage/postgres.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { takesMessages } from "../../channels/channel-machine.ts";
import { badRequest } from "../../errors.ts";
import { accessChannel, canReadContent, canReadHistory } from "../../realm/access.ts";
import type { Command } from "../../realm/command.ts";
import { memoryOf } from "../../realm/memory.ts";
import type { RealmState } from "../../realm/state/state.ts";
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
  await passDeleted(database.sql, state, args);
  return {
    decide: async (tx) => {
      const { channel, found } = await findBatch(tx.sql, tx.state, tx.user(args.userId), args);
      const { id: channel_id, recipient_id } = channel;
      await erase(
        tx,
        found.map(({ id, topic }) => ({ id, topic, recipient_id, channel_id })),
      );
      return { complete: found.length < maxDeletedAtOnce, toId: (found[0]?.id ?? 0) - 1 };
    },
    committed: () => memoryOf(realm, knownTopics).clear(),
  };
};

/**
 * Looks for the batch, and for what comes first in the channel then, while others' commands are decided. Until a vacuum
 * the indexes lead to all that was deleted before. PostgreSQL marks what it passes in vain, so the looks of the
 * decision, for which the others wait, are short.
 */
async function passDeleted(sql: Sql, state: RealmState, args: DeleteTopicArgs): Promise<void> {
  const { channel, found } = await findBatch(sql, state, state.knownUser(args.userId), args);
  const { recipient_id, first_message_id: first } = channel;
  const ids = found.map(({ id }) => id);
  if (first !== null && ids.includes(first)) await firstMessageBeside(sql, recipient_id, ids, first);
}

/** @throws BAD_REQUEST unless this person may delete everything in the channel */
async function findBatch(sql: Sql, state: RealmState, user: UserRow, { channelId, topic, toId }: DeleteTopicArgs) {
  const channel = accessChannel(state, user, channelId);
  if (!takesMessages(channel) || !canReadContent(state, channel, user)) throw badRequest("Invalid channel ID");
  if (!canDeleteAny(state, user, channel)) throw badRequest("You don't have permission to delete this topic");
  const receivedBy = canReadHistory(state, channel, user) ? undefined : user.id;
  const found = await findTopicMessages(sql, channel.recipient_id, meantTopic(topic), {
    toId,
    receivedBy,
    limit: maxDeletedAtOnce,
  });
  return { channel, found };
}
