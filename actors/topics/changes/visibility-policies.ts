/** Visibility policies of topics: following, unmuting and muting, by hand or as an effect of a message. */

import type { ChannelId, UserId } from "../../../storage/ids.ts";
import type { ChannelRow, UserRow } from "../../../storage/rows.ts";
import { badRequest } from "../../errors.ts";
import { accessChannel, canSeeChannel } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import { limits } from "../../realm/state/settings.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { isLine, isLonger } from "../../text/texts.ts";
import { userSetting } from "../../users/settings/settings.ts";
import { meantTopic } from "../empty-topic.ts";

export const visibility = { none: 0, muted: 1, unmuted: 2, followed: 3 } as const;

/** Policies of one person. Replicas hold all of them, and clients fetch all. */
const maxPolicies = 5000;

const hasRoom = (state: RealmState, userId: UserId): boolean => (state.userTopics.get(userId)?.size ?? 0) < maxPolicies;

/** A policy that follows from participation. */
export type RaisedPolicy = typeof visibility.unmuted | typeof visibility.followed;

export interface PolicyChange {
  userId: UserId;
  /** See `visibility`. */
  policy: number;
}

/** The policy that participation gives a person. */
export interface RaisedPolicyChange extends PolicyChange {
  policy: RaisedPolicy;
}

/** Whether a setting takes effect: 1 any participation, 2 sending, 3 starting the topic, 4 never. */
const applies = (setting: number, startsTopic: boolean): boolean => setting <= 2 || (setting === 3 && startsTopic);

/**
 * The policies that a message changes: the sender's and those of mentioned people, by their settings. A policy is only
 * raised, and a topic that a person muted by hand stays muted.
 */
export function afterSendPolicies(
  state: RealmState,
  sender: UserRow,
  channel: ChannelRow,
  topic: string,
  startsTopic: boolean,
  mentioned: readonly UserId[],
): RaisedPolicyChange[] {
  const changes: RaisedPolicyChange[] = [];
  const raise = (userId: UserId, policy: RaisedPolicy) => {
    const now = state.topicPolicy(userId, channel.id, topic);
    if (now !== visibility.muted && now < policy && (now > 0 || hasRoom(state, userId)))
      changes.push({ userId, policy });
  };
  if (!sender.is_bot && state.subscriptions.has(sender.id, channel.id)) {
    if (applies(userSetting(sender, "automatically_follow_topics_policy"), startsTopic))
      raise(sender.id, visibility.followed);
    else if (
      state.subscriptions.isMuted(sender.id, channel.id) &&
      applies(userSetting(sender, "automatically_unmute_topics_in_muted_streams_policy"), startsTopic)
    )
      raise(sender.id, visibility.unmuted);
  }
  for (const userId of mentioned) {
    const user = state.users.get(userId);
    if (
      userId !== sender.id &&
      user &&
      !user.is_bot &&
      userSetting(user, "automatically_follow_topics_where_mentioned")
    )
      raise(userId, visibility.followed);
  }
  return changes;
}

/** A person's policy after they participated in a topic without sending a message. */
export function participationPolicies(
  state: RealmState,
  user: UserRow,
  channel: ChannelRow,
  topic: string,
): PolicyChange[] {
  if (user.is_bot || !state.subscriptions.has(user.id, channel.id)) return [];
  const now = state.topicPolicy(user.id, channel.id, topic);
  const isAny = (
    setting: "automatically_follow_topics_policy" | "automatically_unmute_topics_in_muted_streams_policy",
  ) => userSetting(user, setting) === 1;
  if (now === visibility.muted || (now === visibility.none && !hasRoom(state, user.id))) return [];
  if (isAny("automatically_follow_topics_policy"))
    return now < visibility.followed ? [{ userId: user.id, policy: visibility.followed }] : [];
  return now < visibility.unmuted &&
    state.subscriptions.isMuted(user.id, channel.id) &&
    isAny("automatically_unmute_topics_in_muted_streams_policy")
    ? [{ userId: user.id, policy: visibility.unmuted }]
    : [];
}

/** Stores the policies, and sends each person `user_topic` and the older `muted_topics`. */
export function putTopicPolicies(tx: Tx, channel: ChannelRow, topic: string, changes: readonly PolicyChange[]): void {
  for (const { userId, policy } of changes) {
    const key = { user_id: userId, channel_id: channel.id, topic_key: topic.toLowerCase() };
    const wasMuted = tx.state.topicPolicy(userId, channel.id, topic) === visibility.muted;
    if (policy === visibility.none) tx.remove("user_topics", key);
    else
      tx.put("user_topics", {
        ...key,
        realm_id: tx.realmId,
        topic_name: topic,
        last_updated: tx.now,
        visibility_policy: policy,
      });
    tx.event(
      { type: "user_topic", stream_id: channel.id, topic_name: topic, last_updated: tx.now, visibility_policy: policy },
      { to: "users", ids: [userId] },
    );
    if (wasMuted === (policy === visibility.muted)) continue;
    const muted = mutedTopics(tx.state, userId).filter(
      ([, , , id, name]) => !(id === channel.id && name === key.topic_key),
    );
    if (policy === visibility.muted) muted.push([channel.name, topic, tx.now, channel.id, key.topic_key]);
    tx.event(
      { type: "muted_topics", muted_topics: muted.map(([name, muted_topic, at]) => [name, muted_topic, at]) },
      { to: "users", ids: [userId] },
    );
  }
}

/**
 * A person's muted topics in channels they see: channel name, topic, UNIX seconds; then the key that orders nothing.
 */
export function mutedTopics(state: RealmState, userId: UserId): [string, string, number, number, string][] {
  const user = state.users.get(userId);
  const muted: [string, string, number, number, string][] = [];
  for (const row of state.userTopics.get(userId)?.values() ?? []) {
    if (row.visibility_policy !== visibility.muted) continue;
    const channel = state.channels.get(row.channel_id);
    if (channel && canSeeChannel(state, channel, user))
      muted.push([channel.name, row.topic_name, row.last_updated, row.channel_id, row.topic_key]);
  }
  return muted;
}

/** `muted_topics` as clients see it. */
export function mutedTopicRecords(state: RealmState, userId: UserId): [string, string, number][] {
  return mutedTopics(state, userId).map(([name, topic, at]) => [name, topic, at]);
}

export interface SetTopicPolicyArgs {
  userId: UserId;
  channelId: ChannelId;
  topic: string;
  /** See `visibility`. */
  policy: number;
  /** Changes only muted topics: the older endpoint knows no other policy. */
  onlyIfMuted?: boolean;
}

/** Mutes, unmutes or follows a topic, which may have no message yet. @throws BAD_REQUEST */
export const setTopicPolicy = command(
  (tx: Tx, { userId, channelId, topic, policy, onlyIfMuted }: SetTopicPolicyArgs) => {
    const user = tx.user(userId);
    const channel = accessChannel(tx.state, user, channelId);
    const name = checkTopicName(topic);
    const now = tx.state.topicPolicy(userId, channelId, name);
    if (onlyIfMuted && now !== visibility.muted) return {};
    if (now === visibility.none && policy !== now && !hasRoom(tx.state, userId))
      throw badRequest(`You can mute, unmute and follow at most ${maxPolicies} topics.`);
    if (now !== policy) putTopicPolicies(tx, channel, name, [{ userId, policy }]);
    return {};
  },
);

/** @throws BAD_REQUEST */
function checkTopicName(topic: string): string {
  const name = meantTopic(topic);
  if (isLonger(name, limits.topic)) throw badRequest(`topic is too long (limit: ${limits.topic} characters)`);
  if (!isLine(name)) throw badRequest("Invalid character in topic!");
  return name;
}
