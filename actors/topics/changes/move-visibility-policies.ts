/** Moves visibility policies when a whole topic moves. */
import type { ChannelId, UserId } from "../../../storage/ids.ts";
import type { ChannelRow } from "../../../storage/rows.ts";
import { canSeeChannel } from "../../realm/access.ts";
import type { Tx } from "../../realm/transaction.ts";
import { mutedTopics, visibility } from "./visibility-policies.ts";

interface Topic {
  channel: ChannelRow;
  topic: string;
}

/** When two topics become one, the later policy in this list wins. So a mute stays only if both were muted. */
const eagerness: readonly number[] = [visibility.muted, visibility.none, visibility.unmuted, visibility.followed];

/**
 * Moves everybody's policy for one topic to another, and sends each person both changes. If the other topic existed,
 * the higher policy is kept. People who cannot see the other channel lose their policy.
 */
export function moveTopicPolicies(tx: Tx, from: Topic, to: Topic & { existed: boolean }): void {
  const { state } = tx;
  const fromKey = from.topic.toLowerCase();
  const toKey = to.topic.toLowerCase();
  const isSame = from.channel.id === to.channel.id && fromKey === toKey;
  for (const [userId, topics] of state.userTopics) {
    const before = topics.get(`${from.channel.id}:${fromKey}`)?.visibility_policy ?? visibility.none;
    if (before === visibility.none && !(to.existed && !isSame)) continue;
    const there = isSame ? visibility.none : state.topicPolicy(userId, to.channel.id, to.topic);
    const user = state.users.get(userId);
    const sees = user !== undefined && canSeeChannel(state, to.channel, user);
    const after = !sees ? there : to.existed && !isSame ? eager(before, there) : before;
    if (before !== visibility.none && !isSame) put(tx, userId, from, visibility.none);
    if (after !== there || isSame) put(tx, userId, to, after);
    const listChanges = before === visibility.muted || (there === visibility.muted) !== (after === visibility.muted);
    if (listChanges) tellMuted(tx, userId, from, to, after);
  }
}

const eager = (one: number, other: number): number => (eagerness.indexOf(one) > eagerness.indexOf(other) ? one : other);

function put(tx: Tx, userId: UserId, { channel, topic }: Topic, policy: number): void {
  const key = { user_id: userId, channel_id: channel.id, topic_key: topic.toLowerCase() };
  const row = { topic_name: topic, last_updated: tx.now, visibility_policy: policy };
  if (policy === visibility.none) tx.remove("user_topics", key);
  else tx.put("user_topics", { ...key, realm_id: tx.realmId, ...row });
  tx.event({ type: "user_topic", stream_id: channel.id, ...row }, { to: "users", ids: [userId] });
}

/** Sends the older event, the whole list of muted topics, if it changed. */
function tellMuted(tx: Tx, userId: UserId, from: Topic, to: Topic, policy: number): void {
  const isEither = (channelId: ChannelId, key: string) =>
    (channelId === from.channel.id && key === from.topic.toLowerCase()) ||
    (channelId === to.channel.id && key === to.topic.toLowerCase());
  const muted = mutedTopics(tx.state, userId)
    .filter(([, , , channelId, key]) => !isEither(channelId, key))
    .map(([name, topic, at]): [string, string, number] => [name, topic, at]);
  if (policy === visibility.muted) muted.push([to.channel.name, to.topic, tx.now]);
  tx.event({ type: "muted_topics", muted_topics: muted }, { to: "users", ids: [userId] });
}
