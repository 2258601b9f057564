/** What the index knows of a message. */
import type { ChannelId, MessageId, RecipientId, UserId } from "../../storage/ids.ts";

/** Whom a message mentions, by name, group or topic wildcard; or everybody of its channel. */
export interface MentionList {
  everybody: boolean;
  /** undefined: so many that they are not kept. */
  userIds: readonly UserId[] | undefined;
}

/** People of one message who are kept. */
const maxMentioned = 1000;

export interface IndexedMessage {
  id: MessageId;
  recipientId: RecipientId;
  /** null: a direct message. */
  channelId: ChannelId | null;
  senderId: UserId;
  topic: string;
  readBySender: boolean;
  mentions: MentionList | undefined;
}

/** Messages that follow one another in the realm, ascending. */
export interface IndexChunk {
  messages: readonly IndexedMessage[];
  /** There is none before them. */
  isOldest: boolean;
}

/** What is kept of whom a message mentions; undefined: nobody. */
export function mentionList(everybody: boolean, userIds: readonly UserId[]): MentionList | undefined {
  if (!everybody && userIds.length === 0) return undefined;
  return { everybody, userIds: userIds.length > maxMentioned ? undefined : userIds };
}
