/** What the log says of messages, for the index of them. */
import type { UserId } from "../../storage/ids.ts";
import type { PackedChunk } from "../../storage/messages/index-chunk.ts";
import type { MessageEvent } from "../events/messages.ts";
import type { LogEntry } from "../realm/entry.ts";
import type { RealmState } from "../realm/state/state.ts";
import { type IndexChunk, type IndexedMessage, type MentionList, mentionList } from "./indexed-message.ts";
import type { MessageIndex } from "./message-index.ts";

/** @returns false: the index cannot go on */
export function applyMessage(index: MessageIndex, event: MessageEvent): boolean {
  const { message } = event;
  return index.append({
    id: message.id,
    recipientId: message.recipient_id,
    channelId: message.stream_id ?? null,
    senderId: message.sender_id,
    topic: message.subject,
    readBySender: event.read_by_sender,
    mentions: mentionsIn(event.flags, event.common_flags),
  });
}

/** Applies what happened to messages that were there. @returns whether the entry is about any */
export function applyChange(index: MessageIndex, state: RealmState, { event, audience }: LogEntry): boolean {
  switch (event?.type) {
    case "update_message": {
      const { message_ids, new_stream_id, subject } = event;
      const target = new_stream_id === undefined ? undefined : state.knownChannel(new_stream_id);
      if (target || subject !== undefined)
        index.move(message_ids, target && { recipientId: target.recipient_id, channelId: target.id }, subject);
      index.setMentions(event.message_id, mentionsIn(event.user_flags, event.common_flags));
      return true;
    }
    case "delete_message":
      // Those who lose sight of messages that were moved are told that they are deleted: they are elsewhere by then.
      index.delete(event.message_ids, event.stream_id ?? null);
      return true;
    case "update_message_flags":
      if (event.flag !== "read" || event.op !== "remove") return false;
      index.setUnreadBySender(event.messages, (id) => audience?.to === "users" && audience.ids.includes(id));
      return true;
    default:
      return false;
  }
}

function mentionsIn(
  userFlags: Readonly<Record<string, readonly string[]>>,
  commonFlags: readonly string[],
): MentionList | undefined {
  const userIds: UserId[] = [];
  for (const userId in userFlags) {
    const flags = userFlags[userId]!;
    if (flags.includes("mentioned") || flags.includes("topic_wildcard_mentioned")) userIds.push(Number(userId));
  }
  return mentionList(commonFlags.includes("stream_wildcard_mentioned"), userIds);
}

/** The messages of a chunk, in order. */
export function unpackChunk({ groups, mentions, count }: PackedChunk, isOldest: boolean): IndexChunk {
  const mentionsById = new Map(
    mentions.map(({ id, channel_wildcard, user_ids }) => [id, mentionList(channel_wildcard, [...new Set(user_ids)])]),
  );
  const messages: IndexedMessage[] = [];
  for (const group of groups) {
    for (let place = 0; place < group.ids.length; place++) {
      const id = group.ids[place]!;
      messages.push({
        id,
        recipientId: group.recipient_id,
        channelId: group.channel_id,
        senderId: group.sender_ids[place]!,
        topic: group.topic,
        readBySender: group.read_by_sender[place] === 1,
        mentions: mentionsById.get(id),
      });
    }
  }
  // A chunk of one group is in order; of many it is not.
  if (groups.length > 1 || count === 0) messages.sort((a, b) => a.id - b.id);
  return { messages, isOldest };
}
