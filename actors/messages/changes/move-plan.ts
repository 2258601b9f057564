/** A request to move messages, and the messages and topics that it moves. */
import type { ChannelId, MessageId } from "../../../storage/ids.ts";
import type { ChannelRow } from "../../../storage/rows.ts";
import type { Audience } from "../../realm/entry.ts";

export type PropagateMode = "change_one" | "change_later" | "change_all";

/** A move that was checked. */
export interface Move {
  /** Ascending. */
  ids: MessageId[];
  /** The topic afterwards. */
  topic: string;
  topicChanges: boolean;
  topicLinks: { text: string; url: string }[];
  /** The channel afterwards, when it is another one. */
  target: ChannelRow | undefined;
  /** Nothing but marking the topic resolved or unresolved. */
  isToggle: boolean;
  /** Nothing stays behind in the old topic. */
  isWholeTopic: boolean;
  /** Who is told. */
  audience: Audience;
}

export interface MoveRequest {
  topic?: string;
  channelId?: ChannelId;
  propagateMode: PropagateMode;
  notifyOldThread: boolean;
  notifyNewThread: boolean;
}
