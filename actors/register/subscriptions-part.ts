/**
 * The register answer's parts about a person's channels: those they are subscribed to, were subscribed to, and could
 * know of; and their policies for topics.
 */

import type { ChannelRow, UserRow } from "../../storage/rows.ts";
import { withoutNullSettings } from "../events/channel-forms.ts";
import { canSeeChannel } from "../realm/access.ts";
import type { RealmReader } from "../realm/reader.ts";
import { emptyTopicDisplayName } from "../realm/state/settings.ts";
import type { RealmState } from "../realm/state/state.ts";
import { personalFields, renderSubscription } from "../subscriptions/record.ts";
import type { SubscriptionRecord } from "../subscriptions/shapes.ts";
import { arrayOfPieces, type Piece } from "../text/json-text.ts";
import { mutedTopicRecords } from "../topics/changes/visibility-policies.ts";
import type { RegisterFields } from "./answer.ts";
import { channelTexts } from "./channel-text.ts";
import type { RegisterView } from "./view.ts";

export type IncludeSubscribers = RegisterView["includeSubscribers"];

/** `subscription`: `subscriptions`, `unsubscribed` and `never_subscribed`, together every channel the person sees. */
export function subscriptionsPart(realm: RealmReader, user: UserRow, view: RegisterView): RegisterFields {
  const { state } = realm;
  const channelText = state.derived(channelTexts);
  const withArchived = view.has.has("archived_channels");
  const wanted = view.includeSubscribers === "false" ? undefined : view.includeSubscribers;
  const subscriptions: Piece[] = [];
  const unsubscribed: Piece[] = [];
  const rows = new Map([...state.subscriptions.of(user.id)].map((row) => [row.channel_id, row]));
  for (const row of rows.values()) {
    const channel = state.channels.get(row.channel_id);
    if (!channel || (channel.is_archived && !withArchived) || !canSeeChannel(state, channel, user)) continue;
    const own = personalFields(row);
    const shown = view.has.has("notification_settings_null") ? own : withoutNullSettings(state, user.id, own);
    const text = channelText.of(state, channel);
    const opened = wanted ? channelText.subscribers.open(realm, channel, text, wanted) : `,${text.slice(0, -1)}`;
    (row.is_active ? subscriptions : unsubscribed).push(opened, `,${JSON.stringify(shown).slice(1)}`);
  }
  const isNever = (channel: ChannelRow) => !rows.has(channel.id) && canSeeChannel(state, channel, user);
  return {
    subscriptions: arrayOfPieces(subscriptions),
    unsubscribed: arrayOfPieces(unsubscribed),
    never_subscribed: channelText.list(
      state,
      withArchived,
      isNever,
      wanted && { wanted, open: (channel, text) => channelText.subscribers.open(realm, channel, text, wanted) },
    ),
  };
}

/** The answer of `GET /users/me/subscriptions`: the channels that a person is subscribed to, without archived ones. */
export function subscriptionsOf(realm: RealmReader, user: UserRow, include: IncludeSubscribers): SubscriptionRecord[] {
  const { state } = realm;
  const channelText = state.derived(channelTexts);
  const records: SubscriptionRecord[] = [];
  for (const row of state.subscriptions.of(user.id)) {
    const channel = state.channels.get(row.channel_id);
    if (!row.is_active || !channel || channel.is_archived) continue;
    const subscribers = include === "false" ? {} : channelText.subscribers.fieldsOf(realm, channel, include);
    records.push({ ...renderSubscription(state, channel, row), ...subscribers });
  }
  return records;
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
