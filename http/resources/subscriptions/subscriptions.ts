/** Subscriptions: subscribing and unsubscribing people, and each person's settings of their channels. */

import { array, boolean, record as map, optional, type as record, size, string } from "superstruct";
import { either } from "../../../actors/either.ts";
import { badRequest } from "../../../actors/errors.ts";
import { channelId, userId } from "../../../actors/id-shapes.ts";
import { accessChannel, accessChannelByName, accessUser } from "../../../actors/realm/access.ts";
import { subscriptionsOf } from "../../../actors/register/subscriptions-part.ts";
import { described } from "../../../actors/shape.ts";
import type { SubscribeArgs } from "../../../actors/subscriptions/changes/subscribe.ts";
import { subscription } from "../../../actors/subscriptions/shapes.ts";
import { visibleChannelsOf } from "../../../actors/subscriptions/visible-channels.ts";
import { visibility } from "../../../actors/topics/changes/visibility-policies.ts";
import type { ChannelId, UserId } from "../../../storage/ids.ts";
import { bool, int, json, jsonOrText, oneOf, oneOfNumbers, pathInt, text } from "../../api/params.ts";
import { type ApiRequest, anyAccount, route } from "../../api/route.ts";
import { newChannelOptions, newChannelParams } from "../channels/params.ts";

const nameList = array(string());
const namesByPerson = map(string(), nameList);
const channelList = json(
  array(
    record({
      name: described(string(), "The channel's name."),
      description: described(optional(string()), "What a new channel is for, in Markdown."),
      color: described(optional(string()), "The channel's colour for this person, such as `#76ce90`."),
    }),
  ),
);
const channelNames = () => json(array(string()));
const principals = () => json(either(array(userId()), array(string()))).optional();

/** Parameters of subscribing, without the channels. */
const subscribeParams = {
  principals: principals(),
  authorization_errors_fatal: bool()
    .default(true)
    .describe("Whether nothing is done if one of the channels is refused; else the others are."),
  send_new_subscription_messages: bool()
    .default(true)
    .describe("Whether those who are subscribed are told by a direct message."),
  ...newChannelParams,
};
const subscribeReturns = {
  subscribed: described(namesByPerson, "Names of the new channels by the address or id of each person."),
  already_subscribed: described(namesByPerson, "Names of channels that they had already."),
  unauthorized: described(optional(nameList), "Channels that the caller may not subscribe to."),
  new_subscription_messages_sent: described(optional(boolean()), "Whether direct messages told of it."),
};
const unsubscribeReturns = {
  removed: described(nameList, "Names of channels that they left."),
  not_removed: described(nameList, "Names of channels that they were not subscribed to."),
};

function subscribeArgs(
  { user, params }: ApiRequest<typeof subscribeParams>,
  channels: SubscribeArgs["channels"],
): SubscribeArgs {
  return {
    userId: user.id,
    channels,
    principals: params.principals,
    authorizationErrorsFatal: params.authorization_errors_fatal,
    sendMessages: params.send_new_subscription_messages,
    options: newChannelOptions(params),
  };
}

/** The caller's channels. https://zulip.com/api/get-subscriptions */
export const getSubscriptions = route({
  doc: "https://zulip.com/api/get-subscriptions",
  summary: "Lists the channels that the caller is subscribed to.",
  auth: anyAccount,
  params: {
    include_subscribers: oneOf("true", "false", "partial")
      .default("false")
      .describe("Whether to tell who is subscribed: to all, or with `partial` to as many as are quickly told."),
  },
  returns: { subscriptions: array(subscription) },
  handle({ realm, user, params }) {
    return { subscriptions: subscriptionsOf(realm, user, params.include_subscribers) };
  },
});

/** Subscribes people to channels. Channels that do not exist are created. https://zulip.com/api/subscribe */
export const subscribe = route({
  doc: "https://zulip.com/api/subscribe",
  summary: "Subscribes the caller, or others, to channels; channels that do not exist are made.",
  auth: anyAccount,
  params: {
    subscriptions: channelList.describe(
      "Channels, each with `name`, and `color` and `description` where it is to have them.",
    ),
    ...subscribeParams,
  },
  returns: subscribeReturns,
  async handle(request) {
    const reply = await request.realm.execute("subscribe", subscribeArgs(request, request.params.subscriptions));
    return { ...reply };
  },
});

/** Unsubscribes people from channels. https://zulip.com/api/unsubscribe */
export const unsubscribe = route({
  doc: "https://zulip.com/api/unsubscribe",
  summary: "Unsubscribes the caller, or others, from channels.",
  auth: anyAccount,
  params: {
    subscriptions: channelNames().describe(
      "Channels, each with `name`, and `color` and `description` where it is to have them.",
    ),
    principals: principals(),
  },
  returns: unsubscribeReturns,
  async handle({ realm, user, params }) {
    const reply = await realm.execute("unsubscribe", {
      userId: user.id,
      channels: params.subscriptions,
      principals: params.principals,
    });
    return { ...reply };
  },
});

/** Unsubscribes from some channels and subscribes to others. https://zulip.com/api/update-subscriptions */
export const updateSubscriptions = route({
  doc: "https://zulip.com/api/update-subscriptions",
  summary: "Unsubscribes the caller from some channels and subscribes them to others.",
  auth: anyAccount,
  params: {
    delete: channelNames().default([]).describe("Names of channels to unsubscribe from."),
    add: channelList
      .default([])
      .describe("Channels to subscribe to, each with `name`, and `color` and `description` where it is to have them."),
    ...subscribeParams,
  },
  returns: { ...subscribeReturns, ...unsubscribeReturns },
  async handle(request) {
    const { realm, user, params } = request;
    if (params.add.length === 0 && params.delete.length === 0)
      throw badRequest('Nothing to do. Specify at least one of "add" or "delete".');
    const reply = await realm.execute("updateSubscriptions", {
      userId: user.id,
      add: subscribeArgs(request, params.add),
      remove: { userId: user.id, channels: params.delete, principals: params.principals },
    });
    return { ...reply };
  },
});

/** Whether somebody is subscribed to a channel. https://zulip.com/api/get-subscription-status */
export const getSubscriptionStatus = route({
  doc: "https://zulip.com/api/get-subscription-status",
  summary: "Says whether a user is subscribed to a channel.",
  auth: anyAccount,
  params: { user_id: pathInt<UserId>(), stream_id: pathInt<ChannelId>() },
  returns: { is_subscribed: described(boolean(), "Whether the user is subscribed.") },
  handle({ realm, user, params }) {
    const target = accessUser(realm.state, user, params.user_id);
    const channel = accessChannel(realm.state, user, params.stream_id);
    return { is_subscribed: realm.state.subscriptions.has(target.id, channel.id) };
  },
});

/** The channels that somebody is subscribed to. https://zulip.com/api/get-user-channels */
export const getChannelsOfUser = route({
  doc: "https://zulip.com/api/get-user-channels",
  summary: "Lists the channels that somebody is subscribed to, as far as the caller may see who is subscribed to them.",
  auth: anyAccount,
  params: { user_id: pathInt<UserId>() },
  returns: { subscribed_channel_ids: described(array(channelId()), "Ids of the channels.") },
  handle({ realm: { state }, user, params }) {
    return { subscribed_channel_ids: visibleChannelsOf(state, user, accessUser(state, user, params.user_id)) };
  },
});

/** Changes in one request. Each causes an event. */
const maxChangesAtOnce = 1000;

/** Changes settings of the caller's subscriptions. https://zulip.com/api/update-subscription-settings */
export const setSubscriptionProperties = route({
  doc: "https://zulip.com/api/update-subscription-settings",
  summary: "Changes the caller's own settings of some of their channels.",
  auth: anyAccount,
  params: {
    subscription_data: json(
      size(
        array(
          record({
            stream_id: channelId(),
            property: described(
              string(),
              "The setting: `color`, `is_muted`, `pin_to_top`, `desktop_notifications` and the like.",
            ),
            value: described(either(boolean(), string()), "Its new value."),
          }),
        ),
        0,
        maxChangesAtOnce,
      ),
    ).describe("The changes, each with `stream_id`, `property` and `value`."),
  },
  returns: {},
  handle({ realm, user, params }) {
    return realm.execute("setSubscriptionProperties", { userId: user.id, changes: params.subscription_data });
  },
});

/** Changes one setting of one subscription. https://zulip.com/api/update-subscription-settings */
export const setSubscriptionProperty = route({
  doc: "https://zulip.com/api/update-subscription-settings",
  summary: "Changes one of the caller's own settings of a channel.",
  auth: anyAccount,
  params: {
    stream_id: pathInt<ChannelId>(),
    property: text().describe("The setting: `color`, `is_muted`, `pin_to_top`, `desktop_notifications` and the like."),
    value: jsonOrText(either(boolean(), string())).describe("Its new value."),
  },
  returns: {},
  handle({ realm, user, params }) {
    const { stream_id, property, value } = params;
    return realm.execute("setSubscriptionProperties", { userId: user.id, changes: [{ stream_id, property, value }] });
  },
});

/** Mutes and unmutes a topic. https://zulip.com/api/mute-topic */
export const muteTopic = route({
  doc: "https://zulip.com/api/mute-topic",
  summary: "Mutes or unmutes a topic; older than POST /user_topics.",
  auth: anyAccount,
  params: {
    stream_id: int<ChannelId>().optional(),
    stream: text().optional().describe("The channel's name, where `stream_id` is left out."),
    topic: text().describe("The topic."),
    op: oneOf("add", "remove").describe("`add` to mute the topic, `remove` to unmute it."),
  },
  returns: {},
  handle({ realm, user, params }) {
    const { stream_id, stream } = params;
    if (stream_id !== undefined && stream !== undefined)
      throw badRequest("Please choose one: 'stream' or 'stream_id'.");
    const channelId = stream === undefined ? stream_id : accessChannelByName(realm.state, user, stream).id;
    if (channelId === undefined) throw badRequest("Please supply 'stream'.");
    return realm.execute("setTopicPolicy", {
      userId: user.id,
      channelId,
      topic: params.topic,
      policy: params.op === "add" ? visibility.muted : visibility.none,
      onlyIfMuted: params.op === "remove",
    });
  },
});

/** Mutes, unmutes or follows a topic. https://zulip.com/api/update-user-topic */
export const updateUserTopic = route({
  doc: "https://zulip.com/api/update-user-topic",
  summary: "Sets whether the caller mutes, unmutes or follows a topic.",
  auth: anyAccount,
  params: {
    stream_id: int<ChannelId>(),
    topic: text().describe("The topic of a channel."),
    visibility_policy: oneOfNumbers(0, 1, 2, 3),
  },
  returns: {},
  handle({ realm, user, params }) {
    return realm.execute("setTopicPolicy", {
      userId: user.id,
      channelId: params.stream_id,
      topic: params.topic,
      policy: params.visibility_policy,
    });
  },
});
