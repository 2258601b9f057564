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

/** Messages at most; between channels people times messages, but so many messages however large the channel is. */
const perCommit = { ids: 100, pairs: 1_000_000, least: 20 };
const perAnswer = { ids: 4_000, pairs: 20_000_000, least: 400 };

/** How many messages go in one commit. Between channels everybody's received and read messages go along. */
export const commitSize = (state: RealmState, from: ChannelId, target: ChannelRow | undefined): number =>
  within(perCommit, state, from, target);

/** The caller of a move of at most so many messages is answered after the last commit, and of a greater one at once. */
export const awaitedSize = (state: RealmState, from: ChannelId, target: ChannelRow | undefined): number =>
  within(perAnswer, state, from, target);

function within(
  { ids, pairs, least }: typeof perCommit,
  { subscriptions }: RealmState,
  from: ChannelId,
  target: ChannelRow | undefined,
): number {
  if (!target) return ids;
  const people = subscriptions.countActive(from) + subscriptions.countActive(target.id);
  return Math.min(ids, Math.max(least, Math.floor(pairs / Math.max(1, people))));
}
