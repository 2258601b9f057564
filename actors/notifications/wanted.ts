/**
 * Whether a person wants to be told of a message, by email, or on phones and in browsers.
 * https://zulip.com/help/email-notifications https://zulip.com/help/mobile-notifications
 */

import type { UserId } from "../../storage/ids.ts";
import type { Notifiable } from "../../storage/notifications/missed.ts";
import type { SubscriptionRow, UserRow } from "../../storage/rows.ts";
import { welcomeBotName } from "../organization/system-bots.ts";
import { defineDerived, type RealmState } from "../realm/state/state.ts";
import { userSetting } from "../users/settings/settings.ts";

/** Why a person is told: the strongest reason that holds. */
export type NotificationReason =
  | "direct_message"
  | "mentioned"
  | "topic_wildcard_mentioned_in_followed_topic"
  | "stream_wildcard_mentioned_in_followed_topic"
  | "topic_wildcard_mentioned"
  | "stream_wildcard_mentioned"
  | "alert_word"
  | "followed_topic"
  | "channel";

const policies = { muted: 1, unmuted: 2, followed: 3 } as const;

/** The settings that decide, for each kind of notification. */
const settings = {
  email: {
    ofMentions: "enable_offline_email_notifications",
    ofFollowed: "enable_followed_topic_email_notifications",
    ofChannels: "enable_stream_email_notifications",
    ofChannel: "email_notifications",
  },
  push: {
    ofMentions: "enable_offline_push_notifications",
    ofFollowed: "enable_followed_topic_push_notifications",
    ofChannels: "enable_stream_push_notifications",
    ofChannel: "push_notifications",
  },
} as const;
export type NotificationKind = keyof typeof settings;

/** Whether emails about messages may go to this user. An unconfirmed address may be somebody else's. */
export const isReachable = (user: UserRow | undefined): user is UserRow =>
  isPerson(user) && !user.has_unconfirmed_email;

/** Whether notifications may go to this user. */
export const isPerson = (user: UserRow | undefined): user is UserRow => user?.is_active === true && !user.is_bot;

/** Why the user wants to be told of a message, by their present rights and settings. Undefined when they do not. */
export function notificationReason(
  state: RealmState,
  user: UserRow,
  message: Notifiable,
  kind: NotificationKind,
): NotificationReason | undefined {
  if (message.sender_id === user.id || state.hasMuted(user.id, message.sender_id)) return undefined;
  const { channel_id } = message;
  // Whoever joins has an email of welcome already.
  if (kind === "email" && channel_id === null && isWelcome(state, message.sender_id)) return undefined;
  if (channel_id === null) {
    const isTheirs = message.participants?.includes(user.id) === true;
    return isTheirs && userSetting(user, settings[kind].ofMentions) ? "direct_message" : undefined;
  }
  const subscription = state.subscriptions.find(user.id, channel_id);
  if (!subscription?.is_active || state.channels.get(channel_id)?.is_archived !== false) return undefined;
  return channelReason(state, user, message, subscription, kind);
}

function isWelcome(state: RealmState, senderId: UserId): boolean {
  const sender = state.users.get(senderId);
  return sender?.is_system_bot === true && sender.full_name === welcomeBotName;
}

function channelReason(
  state: RealmState,
  user: UserRow,
  message: Notifiable,
  subscription: SubscriptionRow,
  kind: NotificationKind,
): NotificationReason | undefined {
  const { ofMentions, ofFollowed, ofChannels, ofChannel } = settings[kind];
  const policy = state.topicPolicy(user.id, subscription.channel_id, message.topic);
  const isMuted = policy === policies.muted || (subscription.is_muted && policy < policies.unmuted);
  const isFollowed = policy === policies.followed;
  if (userSetting(user, ofMentions) === true) {
    if (message.mentioned?.includes(user.id)) return "mentioned";
    const inFollowed = isFollowed && userSetting(user, "enable_followed_topic_wildcard_mentions_notify") === true;
    const ofAll =
      !isMuted && (subscription.wildcard_mentions_notify ?? userSetting(user, "wildcard_mentions_notify")) === true;
    const inTopic = message.topic_participants?.includes(user.id) === true;
    if (inFollowed && inTopic) return "topic_wildcard_mentioned_in_followed_topic";
    if (inFollowed && message.channel_wildcard) return "stream_wildcard_mentioned_in_followed_topic";
    if (ofAll && inTopic) return "topic_wildcard_mentioned";
    if (ofAll && message.channel_wildcard) return "stream_wildcard_mentioned";
    if (!isMuted && message.alerted?.includes(user.id)) return "alert_word";
  }
  if (isFollowed && userSetting(user, ofFollowed)) return "followed_topic";
  const isWanted = subscription[ofChannel] ?? userSetting(user, ofChannels);
  return isWanted === true && !isMuted ? "channel" : undefined;
}

const ofEveryChannel = Object.values(settings).map(({ ofChannels }) => ofChannels);

/** People who want to be told of everything in their channels. */
const wantingEverything = defineDerived<Set<UserId>>({
  tables: [],
  make(state) {
    const people = new Set<UserId>();
    for (const user of state.users.values()) noteWish(people, user);
    return people;
  },
  userChanged: noteWish,
});

function noteWish(people: Set<UserId>, user: UserRow): void {
  if (user.is_active && ofEveryChannel.some((name) => userSetting(user, name) === true)) people.add(user.id);
  else people.delete(user.id);
}

/** Who follows which topic; a topic is its channel's id, a colon and its name. */
const followers = defineDerived<ReadonlyMap<string, readonly UserId[]>>({
  tables: ["user_topics"],
  make(state) {
    const found = new Map<string, UserId[]>();
    for (const [userId, topics] of state.userTopics)
      for (const [key, { visibility_policy }] of topics) {
        if (visibility_policy !== policies.followed) continue;
        const known = found.get(key);
        if (known) known.push(userId);
        else found.set(key, [userId]);
      }
    return found;
  },
});

/**
 * People for whom `notificationReason` may have a reason, and few others: nobody looks at each of a hundred thousand
 * subscribers because of one message.
 */
export function candidatesOf(state: RealmState, message: Notifiable): Iterable<number> {
  const { channel_id } = message;
  if (channel_id === null) return message.participants ?? [];
  const { subscriptions } = state;
  if (message.channel_wildcard) return subscriptions.activeSubscribers(channel_id);
  const found = new Set<number>([
    ...(message.mentioned ?? []),
    ...(message.topic_participants ?? []),
    ...(message.alerted ?? []),
  ]);
  const topic = `${channel_id}:${message.topic.toLowerCase()}`;
  for (const userId of state.derived(followers).get(topic) ?? []) found.add(userId);
  for (const userId of subscriptions.overriding(channel_id)) found.add(userId);
  for (const userId of state.derived(wantingEverything)) if (subscriptions.has(userId, channel_id)) found.add(userId);
  return found;
}
