/** A request to move messages, and the messages and topics that it moves. */
import type { ChannelId, MessageId } from "../../../storage/ids.ts";
import type { ChannelRow } from "../../../storage/rows.ts";

export type PropagateMode = "change_one" | "change_later" | "change_all";

/** A checked move. */
export interface Move {
  /** Ascending. */
  ids: MessageId[];
  /** The topic afterwards. */
  topic: string;
  topicChanges: boolean;
  topicLinks: { text: string; url: string }[];
  /** The channel afterwards, when it is another one. */
  target: ChannelRow | undefined;
  /** Whether it only marks the topic resolved or unresolved. */
  isToggle: boolean;
  /** Whether nothing stays behind in the old topic. */
  isWholeTopic: boolean;
  /** There are messages already in the topic where they go. */
  targetHadTopic: boolean;
}

export interface MoveRequest {
  topic?: string | undefined;
  channelId?: ChannelId | undefined;
  propagateMode: PropagateMode;
  notifyOldThread: boolean;
  notifyNewThread: boolean;
}
