/** Whether a person wants an email about a message that they missed. https://zulip.com/help/email-notifications */

import type { NotifiableMessage } from "../../storage/notifications/missed.ts";
import type { SubscriptionRow, UserRow } from "../../storage/rows.ts";
import type { RealmState } from "../realm/state/state.ts";
import { userSetting } from "../users/settings/settings.ts";

/** Why a person is told: the strongest reason that holds. */
export type NotificationReason =
  | "direct_message"
  | "mentioned"
  | "topic_wildcard_mentioned_in_followed_topic"
  | "stream_wildcard_mentioned_in_followed_topic"
  | "topic_wildcard_mentioned"
  | "stream_wildcard_mentioned"
  | "followed_topic_email_notify"
  | "stream_email_notify";

const policies = { muted: 1, unmuted: 2, followed: 3 } as const;

/** Whether emails about messages may go to this user. An unconfirmed address may be somebody else's. */
export const isReachable = (user: UserRow | undefined): user is UserRow =>
  user?.is_active === true && !user.is_bot && !user.has_unconfirmed_email;

/** Why the user wants an email about a message, by their present rights and settings. Undefined when they do not. */
export function emailReason(
  state: RealmState,
  user: UserRow,
  message: NotifiableMessage,
): NotificationReason | undefined {
  if (message.sender_id === user.id || state.hasMuted(user.id, message.sender_id)) return undefined;
  const { channel_id } = message;
  if (channel_id === null) {
    const isTheirs = message.participants?.includes(user.id) === true;
    return isTheirs && userSetting(user, "enable_offline_email_notifications") ? "direct_message" : undefined;
  }
  const subscription = state.subscriptions.find(user.id, channel_id);
  if (!subscription?.is_active || state.channels.get(channel_id)?.is_archived !== false) return undefined;
  return channelReason(state, user, message, subscription);
}

function channelReason(
  state: RealmState,
  user: UserRow,
  message: NotifiableMessage,
  subscription: SubscriptionRow,
): NotificationReason | undefined {
  const policy = state.topicPolicy(user.id, subscription.channel_id, message.topic);
  const isMuted = policy === policies.muted || (subscription.is_muted && policy < policies.unmuted);
  const isFollowed = policy === policies.followed;
  const ofMentions = userSetting(user, "enable_offline_email_notifications") === true;
  if (ofMentions) {
    if (message.mentioned?.includes(user.id)) return "mentioned";
    const ofFollowed = isFollowed && userSetting(user, "enable_followed_topic_wildcard_mentions_notify") === true;
    const ofAll =
      !isMuted && (subscription.wildcard_mentions_notify ?? userSetting(user, "wildcard_mentions_notify")) === true;
    const inTopic = message.topic_participants?.includes(user.id) === true;
    if (ofFollowed && inTopic) return "topic_wildcard_mentioned_in_followed_topic";
    if (ofFollowed && message.channel_wildcard) return "stream_wildcard_mentioned_in_followed_topic";
    if (ofAll && inTopic) return "topic_wildcard_mentioned";
    if (ofAll && message.channel_wildcard) return "stream_wildcard_mentioned";
  }
  if (isFollowed && userSetting(user, "enable_followed_topic_email_notifications"))
    return "followed_topic_email_notify";
  const ofChannel = subscription.email_notifications ?? userSetting(user, "enable_stream_email_notifications");
  return ofChannel === true && !isMuted ? "stream_email_notify" : undefined;
}

/**
 * The people for whom `emailReason` may find a reason, and few others. It avoids checking a hundred thousand
 * subscribers for one message.
 */
export class Candidates {
  /** People who want to be told of everything in their channels; found once. */
  #wantEverything: number[] | undefined;
  /** Followers of each topic; all of them are found once. */
  #followers: Map<string, number[]> | undefined;

  constructor(private readonly state: RealmState) {}

  *of(message: NotifiableMessage): Generator<number> {
    const { channel_id } = message;
    if (channel_id === null) {
      yield* message.participants ?? [];
      return;
    }
    const { subscriptions } = this.state;
    if (message.channel_wildcard) {
      yield* subscriptions.activeSubscribers(channel_id);
      return;
    }
    const found = new Set<number>([...(message.mentioned ?? []), ...(message.topic_participants ?? [])]);
    for (const userId of this.#followersOf(`${channel_id}:${message.topic.toLowerCase()}`)) found.add(userId);
    for (const userId of subscriptions.overriding(channel_id)) found.add(userId);
    for (const userId of this.#everything()) if (subscriptions.has(userId, channel_id)) found.add(userId);
    yield* found;
  }

  #followersOf(topic: string): readonly number[] {
    if (!this.#followers) {
      this.#followers = new Map();
      for (const [userId, topics] of this.state.userTopics)
        for (const [key, { visibility_policy }] of topics) {
          if (visibility_policy !== policies.followed) continue;
          const known = this.#followers.get(key);
          if (known) known.push(userId);
          else this.#followers.set(key, [userId]);
        }
    }
    return this.#followers.get(topic) ?? [];
  }

  #everything(): number[] {
    this.#wantEverything ??= [...this.state.users.values()]
      .filter((user) => user.is_active && userSetting(user, "enable_stream_email_notifications") === true)
      .map((user) => user.id);
    return this.#wantEverything;
  }
}
