/** A request to move messages, and the messages and topics that it moves. */
import type { ChannelId, MessageId } from "../../../storage/ids.ts";
import type { TopicSpan } from "../../../storage/messages/unfinished-moves.ts";
import type { ChannelRow } from "../../../storage/rows.ts";
import type { RealmState } from "../../realm/state/state.ts";

export type PropagateMode = "change_one" | "change_later" | "change_all";

/** A checked move. */
export interface Move {
  /** Ascending. Those of this commit, when the move is one in parts. */
  ids: MessageId[];
  /** How many go in all. */
  count: number;
  /** Which messages go when they are too many for one commit, or still come in; `ids` is empty then. */
  great?: TopicSpan | undefined;
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

/** Messages that one commit moves within a channel, and people times messages that it moves between two. */
const idsPerCommit = 100;
const pairsPerCommit = 1_000_000;
/** So many messages are moved at once, however large the channel is. */
const leastPerCommit = 20;

/** How many messages go in one commit. Between channels everybody's received and read messages go along. */
export function commitSize({ subscriptions }: RealmState, from: ChannelId, target: ChannelRow | undefined): number {
  if (!target) return idsPerCommit;
  const people = subscriptions.countActive(from) + subscriptions.countActive(target.id);
  return Math.min(idsPerCommit, Math.max(leastPerCommit, Math.floor(pairsPerCommit / Math.max(1, people))));
}
