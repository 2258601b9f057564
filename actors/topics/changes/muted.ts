/** Which topics are out of a person's sight. https://zulip.com/help/mute-a-topic */
import type { ChannelId, UserId } from "../../../storage/ids.ts";
import type { RealmState } from "../../realm/state/state.ts";
import { visibility } from "./visibility-policies.ts";

/** Whether a person muted a topic, or its channel without unmuting or following the topic. */
export function isTopicMuted(state: RealmState, userId: UserId, channelId: ChannelId, topic: string): boolean {
  const policy = state.topicPolicy(userId, channelId, topic);
  return policy === visibility.muted || (policy === visibility.none && state.subscriptions.isMuted(userId, channelId));
}
