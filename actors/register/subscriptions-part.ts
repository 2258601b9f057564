/**
 * The register answer's parts about a person's channels: those they are subscribed to, were subscribed to, and could
 * know of; and their policies for topics.
 */
import type { UserId } from "../../storage/ids.ts";
import type { ChannelRow, UserRow } from "../../storage/rows.ts";
import { withFields } from "../channels/text.ts";
import { withoutNullSettings } from "../events/channel-forms.ts";
import { emptyTopicDisplayName } from "../organization/settings.ts";
import { canSeeChannel } from "../realm/access.ts";
import type { RealmReader } from "../realm/reader.ts";
import type { RealmState } from "../realm/state/state.ts";
import { personalFields, renderSubscription } from "../subscriptions/record.ts";
import type { SubscriberFields, SubscriptionRecord } from "../subscriptions/shapes.ts";
import { arrayOf } from "../text/json-text.ts";
import { mutedTopicRecords } from "../topics/visibility-policies.ts";
import type { RegisterFields } from "./answer.ts";
import type { RegisterView } from "./view.ts";

/** Below so many subscribers `partial` gives them all. https://zulip.com/api/register-queue */
const alwaysWholeBelow = 250;
/** People who were active within these seconds are in `partial_subscribers`: 14 days. */
const recentSecs = 14 * 86_400;

export type IncludeSubscribers = RegisterView["includeSubscribers"];

/** `subscription`: `subscriptions`, `unsubscribed` and `never_subscribed`, together every channel the person sees. */
export function subscriptionsPart(realm: RealmReader, user: UserRow, view: RegisterView): RegisterFields {
  const { state, channelText } = realm;
  const withArchived = view.has.has("archived_channels");
  const subscribersOf = subscriberLists(realm, view.includeSubscribers);
  const subscriptions: string[] = [];
  const unsubscribed: string[] = [];
  const rows = new Map([...state.subscriptions.of(user.id)].map((row) => [row.channel_id, row]));
  for (const row of rows.values()) {
    const channel = state.channels.get(row.channel_id);
    if (!channel || (channel.is_archived && !withArchived) || !canSeeChannel(state, channel, user)) continue;
    const own = personalFields(row);
    const shown = view.has.has("notification_settings_null") ? own : withoutNullSettings(state, user.id, own);
    const text = withFields(channelText.of(state, channel), { ...shown, ...subscribersOf?.(channel) });
    (row.is_active ? subscriptions : unsubscribed).push(text);
  }
  const isNever = (channel: ChannelRow) => !rows.has(channel.id) && canSeeChannel(state, channel, user);
  return {
    subscriptions: arrayOf(subscriptions),
    unsubscribed: arrayOf(unsubscribed),
    never_subscribed: channelText.list(state, withArchived, isNever, subscribersOf),
  };
}

/** The answer of `GET /users/me/subscriptions`: the channels that a person is subscribed to, without archived ones. */
export function subscriptionsOf(realm: RealmReader, user: UserRow, include: IncludeSubscribers): SubscriptionRecord[] {
  const { state } = realm;
  const subscribersOf = subscriberLists(realm, include);
  const records: SubscriptionRecord[] = [];
  for (const row of state.subscriptions.of(user.id)) {
    const channel = state.channels.get(row.channel_id);
    if (!row.is_active || !channel || channel.is_archived) continue;
    records.push({ ...renderSubscription(state, channel, row), ...subscribersOf?.(channel) });
  }
  return records;
}

/** A channel's `subscribers`, or `partial_subscribers`; undefined: neither is wanted. */
function subscriberLists(
  realm: RealmReader,
  include: IncludeSubscribers,
): ((channel: ChannelRow) => SubscriberFields) | undefined {
  const { state } = realm;
  if (include === "false") return undefined;
  let recent: readonly UserId[] | undefined;
  return (channel) => {
    const subscribers = state.subscriptions.activeSubscribers(channel.id);
    if (include === "true" || subscribers.length < alwaysWholeBelow) return { subscribers };
    recent ??= recentlyHere(realm);
    return { partial_subscribers: intersection(subscribers, recent) };
  };
}

/** Bots, and people who were active lately, ascending. */
function recentlyHere({ state, presence, environment }: RealmReader): UserId[] {
  const since = environment.clock() - recentSecs;
  const ids: UserId[] = [];
  for (const user of state.users.values()) {
    if (user.is_bot || (presence.of(user)?.aggregated.timestamp ?? 0) >= since) ids.push(user.id);
  }
  return ids.sort((a, b) => a - b);
}

/** The numbers that are in both of two ascending lists. */
function intersection(a: readonly UserId[], b: readonly UserId[]): UserId[] {
  const both: UserId[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i]! < b[j]!) i++;
    else if (a[i]! > b[j]!) j++;
    else {
      both.push(a[i++]!);
      j++;
    }
  }
  return both;
}

/** `muted_topics`: left out if the caller asked for `user_topic` too. */
export function mutedTopicsPart({ state }: { state: RealmState }, user: UserRow, view: RegisterView): RegisterFields {
  if (view.explicitTypes?.has("user_topic")) return {};
  const records = mutedTopicRecords(state, user.id);
  return { muted_topics: records.map(([channel, topic, at]) => [channel, shownTopic(topic, view), at]) };
}

const shownTopic = (topic: string, view: RegisterView): string =>
  topic === "" && !view.has.has("empty_topic_name") ? emptyTopicDisplayName : topic;

/** `user_topic`: every policy the person has for a topic. */
export function userTopicsPart({ state }: { state: RealmState }, user: UserRow, view: RegisterView): RegisterFields {
  return {
    user_topics: [...(state.userTopics.get(user.id)?.values() ?? [])].map((row) => ({
      stream_id: row.channel_id,
      topic_name: shownTopic(row.topic_name, view),
      last_updated: row.last_updated,
      visibility_policy: row.visibility_policy,
    })),
  };
}
