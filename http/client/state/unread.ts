/** The counts of unread messages (`unread_msgs`), updated as clients do. https://zulip.com/api/register-queue */
import { addSorted, dropAll, type RegisterState, type UnreadMessages } from "./state.ts";

/** The conversation of a message. `others` are the participants without the caller. */
export type Conversation = { stream_id: number; topic: string } | { others: number[] };

const MENTION_FLAGS = new Set([
  "mentioned",
  "wildcard_mentioned",
  "stream_wildcard_mentioned",
  "topic_wildcard_mentioned",
]);

/** `user_topic` policies. https://zulip.com/api/update-user-topic */
const MUTED = 1;
const NONE = 0;

/** Whether a message with these flags is listed under `mentions` while it is unread. */
export function isMention(flags: readonly string[]): boolean {
  return flags.some((flag) => MENTION_FLAGS.has(flag));
}

function buckets(unread: UnreadMessages): { unread_message_ids: number[] }[][] {
  return [unread.pms, unread.streams, unread.huddles];
}

/** Adds an unread message to its conversation. */
export function addUnread(state: RegisterState, id: number, conversation: Conversation, mentioned: boolean): void {
  const unread = state.unread_msgs;
  if (!unread) return;
  addSorted(bucketFor(unread, state.user_id ?? 0, conversation), [id]);
  if (mentioned) addSorted(unread.mentions, [id]);
}

type UnreadTopic = UnreadMessages["streams"][number];

/** Where the topics of a list are: an index that lasts as long as the list. Only `bucketFor` adds to a list. */
const indexes = new WeakMap<readonly UnreadTopic[], Map<number, Map<string, UnreadTopic>>>();

/** The unread topics of a channel, by name in lower case. A burst of messages asks for them again and again. */
function topicsOf(streams: readonly UnreadTopic[], channelId: number): Map<string, UnreadTopic> {
  let index = indexes.get(streams);
  if (!index) indexes.set(streams, (index = new Map()));
  let topics = index.get(channelId);
  if (!topics) {
    const own = streams.filter(({ stream_id }) => stream_id === channelId);
    index.set(channelId, (topics = new Map(own.map((entry) => [entry.topic.toLowerCase(), entry]))));
  }
  return topics;
}

function bucketFor(unread: UnreadMessages, caller: number, conversation: Conversation): number[] {
  if ("topic" in conversation) {
    const { stream_id, topic } = conversation;
    const topics = topicsOf(unread.streams, stream_id);
    const known = topics.get(topic.toLowerCase());
    if (known) return known.unread_message_ids;
    const added = { stream_id, topic, unread_message_ids: [] };
    unread.streams.push(added);
    topics.set(topic.toLowerCase(), added);
    return added.unread_message_ids;
  }
  if (conversation.others.length < 2) {
    const other = conversation.others[0] ?? caller;
    const known = unread.pms.find((entry) => entry.other_user_id === other);
    if (known) return known.unread_message_ids;
    const added = { other_user_id: other, sender_id: other, unread_message_ids: [] };
    unread.pms.push(added);
    return added.unread_message_ids;
  }
  const user_ids_string = [...conversation.others, caller].sort((a, b) => a - b).join(",");
  const known = unread.huddles.find((entry) => entry.user_ids_string === user_ids_string);
  if (known) return known.unread_message_ids;
  const added = { user_ids_string, unread_message_ids: [] };
  unread.huddles.push(added);
  return added.unread_message_ids;
}

/** Removes messages that were read or deleted from every list. Unknown ones are ignored. */
export function removeUnread(state: RegisterState, ids: readonly number[]): void {
  const unread = state.unread_msgs;
  if (!unread) return;
  const gone = new Set(ids);
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const id of ids) [first, last] = [Math.min(first, id), Math.max(last, id)];
  // The ids ascend, and most conversations are older or newer than all that was read.
  for (const list of buckets(unread))
    for (const { unread_message_ids: known } of list)
      if ((known[0] ?? Number.POSITIVE_INFINITY) <= last && (known.at(-1) ?? 0) >= first) dropAll(known, gone);
  dropAll(unread.mentions, gone);
  dropEmpty(unread);
}

/** Empties every list, as after mark-everything-read. */
export function clearUnread(state: RegisterState): void {
  const unread = state.unread_msgs;
  if (!unread) return;
  Object.assign(unread, { pms: [], streams: [], huddles: [], mentions: [], old_unreads_missing: false });
}

/** Moves the unread ones of these messages to another topic or channel. */
export function moveUnread(
  state: RegisterState,
  ids: readonly number[],
  to: { stream_id?: number | undefined; topic?: string | undefined },
): void {
  const unread = state.unread_msgs;
  if (!unread) return;
  const moved = new Set(ids);
  for (const entry of [...unread.streams]) {
    const moving = entry.unread_message_ids.filter((id) => moved.has(id));
    if (moving.length === 0) continue;
    dropAll(entry.unread_message_ids, moved);
    const target = { stream_id: to.stream_id ?? entry.stream_id, topic: to.topic ?? entry.topic };
    addSorted(bucketFor(unread, state.user_id ?? 0, target), moving);
  }
  dropEmpty(unread);
}

/** Sets whether an unread message mentions the caller. Other messages are ignored. */
export function setMention(state: RegisterState, id: number, mentioned: boolean): void {
  const unread = state.unread_msgs;
  if (!unread) return;
  const isUnread = buckets(unread).some((list) => list.some((entry) => entry.unread_message_ids.includes(id)));
  if (isUnread && mentioned) addSorted(unread.mentions, [id]);
  else dropAll(unread.mentions, new Set([id]));
}

/** Computes `unread_msgs.count` without muted channels and topics. */
export function recount(state: RegisterState): void {
  const unread = state.unread_msgs;
  if (!unread) return;
  const size = (list: { unread_message_ids: number[] }[]) =>
    list.reduce((sum, entry) => sum + entry.unread_message_ids.length, 0);
  const isMuted = mutingOf(state);
  const audible = unread.streams.filter((entry) => !isMuted(entry.stream_id, entry.topic));
  unread.count = size(unread.pms) + size(unread.huddles) + size(audible);
}

/** Makes a test for muted topics of one state. The topic's policy counts before the channel's setting. */
function mutingOf(state: RegisterState): (channelId: number, topic: string) => boolean {
  const channels = new Map(state.subscriptions?.map((channel) => [channel.stream_id, channel]));
  const policies = new Map<number | string | undefined, Map<string, number>>();
  const setPolicy = (channel: number | string, topic: string, policy: number) => {
    const ofChannel = policies.get(channel) ?? new Map<string, number>();
    policies.set(channel, ofChannel.set(topic.toLowerCase(), policy));
  };
  for (const entry of state.user_topics ?? []) setPolicy(entry.stream_id, entry.topic_name, entry.visibility_policy);
  // The older list contains names of channels and of muted topics.
  if (!state.user_topics) for (const [name, topic] of state.muted_topics ?? []) setPolicy(name, topic, MUTED);
  return (channelId, topic) => {
    const channel = channels.get(channelId);
    const policy = policies.get(state.user_topics ? channelId : channel?.name)?.get(topic.toLowerCase()) ?? NONE;
    return policy === NONE ? (channel?.is_muted ?? false) : policy === MUTED;
  };
}

/** Topics are compared ignoring case. */
export function sameTopic(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function dropEmpty(unread: UnreadMessages): void {
  const isFull = (entry: { unread_message_ids: number[] }) => entry.unread_message_ids.length > 0;
  // A list without empty entries stays the same, and keeps its index.
  if (!unread.pms.every(isFull)) unread.pms = unread.pms.filter(isFull);
  if (!unread.streams.every(isFull)) unread.streams = unread.streams.filter(isFull);
  if (!unread.huddles.every(isFull)) unread.huddles = unread.huddles.filter(isFull);
}
