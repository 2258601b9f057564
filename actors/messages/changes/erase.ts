/** Erasing messages as part of any command that deletes some. */

import type { ChannelId, MessageId } from "../../../storage/ids.ts";
import { deleteMessageRows, firstMessageBeside } from "../../../storage/messages/changes.ts";
import type { MessageRow } from "../../../storage/messages/messages.ts";
import { findDirectConversations } from "../../../storage/messages/messages.ts";
import type { Tx } from "../../realm/transaction.ts";
import { releaseAttachments } from "../../uploads/release-attachments.ts";
import { messageAudience } from "../audience.ts";
import { putFirstMessage } from "./first-message.ts";

export type DeletedMessage = Pick<MessageRow, "id" | "recipient_id" | "channel_id" | "topic">;

/**
 * Deletes messages and tells everybody who could read them, conversation by conversation. The caller clears the known
 * topics once it is committed.
 *
 * @param messages at most `maxDeletedAtOnce`, of any conversations
 */
export async function erase(tx: Tx, messages: readonly DeletedMessage[]): Promise<void> {
  if (messages.length === 0) return;
  const ids = messages.map(({ id }) => id).sort((a, b) => a - b);
  const people = await findDirectConversations(tx.sql, [
    ...new Set(messages.filter((message) => message.channel_id === null).map((message) => message.recipient_id)),
  ]);
  const conversations = new Map<string, { first: DeletedMessage; ids: MessageId[] }>();
  const byChannel = new Map<ChannelId, MessageId[]>();
  for (const message of [...messages].sort((a, b) => a.id - b.id)) {
    const key = `${message.recipient_id}:${message.topic.toLowerCase()}`;
    const conversation = conversations.get(key);
    if (conversation) conversation.ids.push(message.id);
    else conversations.set(key, { first: message, ids: [message.id] });
    if (message.channel_id === null) continue;
    const ofChannel = byChannel.get(message.channel_id);
    if (ofChannel) ofChannel.push(message.id);
    else byChannel.set(message.channel_id, [message.id]);
  }
  for (const { first, ids: message_ids } of conversations.values()) {
    const channel = first.channel_id === null ? undefined : tx.channelNow(first.channel_id);
    const place = channel ? { channel } : { participants: people.get(first.recipient_id) ?? [] };
    tx.event(
      {
        type: "delete_message",
        message_type: channel ? "stream" : "private",
        message_ids,
        ...(channel && { stream_id: channel.id, topic: first.topic }),
      },
      await messageAudience(tx.state, tx.sql, place, message_ids),
      message_ids.length,
    );
  }
  await releaseAttachments(tx, ids);
  for (const [channelId, gone] of byChannel) {
    const channel = tx.channelNow(channelId);
    const first = channel.first_message_id;
    if (first === null || !gone.includes(first)) continue;
    putFirstMessage(tx, channelId, await firstMessageBeside(tx.sql, channel.recipient_id, gone, first));
  }
  tx.write((sql) => deleteMessageRows(sql, tx.realmId, ids));
}
