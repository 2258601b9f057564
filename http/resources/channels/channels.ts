/** Reading channels, their subscribers and their topics. */

import { array, string } from "superstruct";
import { listChannels } from "../../../actors/channels/lists.ts";
import { channelMailAddress } from "../../../actors/channels/mail-address.ts";
import { activeSubscribers, renderChannel } from "../../../actors/channels/record.ts";
import { channel, channelRecord, topic } from "../../../actors/channels/shapes.ts";
import { channelId, userId } from "../../../actors/id-shapes.ts";
import { accessChannel, accessChannelByName } from "../../../actors/realm/access.ts";
import { emptyTopicDisplayName } from "../../../actors/realm/state/settings.ts";
import { described } from "../../../actors/shape.ts";
import { listTopics } from "../../../actors/topics/list.ts";
import type { ChannelId, UserId } from "../../../storage/ids.ts";
import { bool, int, pathInt, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";

/** Lists channels. https://zulip.com/api/get-streams */
export const getChannels = route({
  doc: "https://zulip.com/api/get-streams",
  summary: "Lists the channels that at least one of the filters includes.",
  auth: anyAccount,
  params: {
    include_public: bool().default(true).describe("Whether to list public channels."),
    include_web_public: bool().default(false).describe("Whether to list channels that everybody may read."),
    include_subscribed: bool().default(true).describe("Whether to list channels that the caller is subscribed to."),
    exclude_archived: bool().default(true).describe("Whether to leave archived channels out."),
    include_all: bool().default(false).describe("Whether to list all channels that the caller may know of."),
    include_all_active: bool()
      .default(false)
      .describe("The older name of `include_all`, which leaves archived channels out."),
    include_default: bool()
      .default(false)
      .describe("Whether each channel tells if new people are subscribed to it, in `is_default`."),
    include_owner_subscribed: bool().default(false).describe("For bots: whether to list channels of the bot's owner."),
    include_can_access_content: bool()
      .default(false)
      .describe("Whether to list all channels whose messages the caller may read."),
  },
  returns: { streams: described(array(channel), "The channels.") },
  handle({ realm, user, params }) {
    const streams = listChannels(realm.state, user, {
      includePublic: params.include_public,
      includeWebPublic: params.include_web_public,
      includeSubscribed: params.include_subscribed,
      excludeArchived: params.exclude_archived,
      includeAll: params.include_all,
      includeAllActive: params.include_all_active,
      includeDefault: params.include_default,
      includeOwnerSubscribed: params.include_owner_subscribed,
      includeCanAccessContent: params.include_can_access_content,
    });
    return { streams };
  },
});

/** One channel. https://zulip.com/api/get-stream-by-id */
export const getChannel = route({
  doc: "https://zulip.com/api/get-stream-by-id",
  summary: "Returns a channel that the caller may know of.",
  auth: anyAccount,
  params: { stream_id: pathInt<ChannelId>() },
  returns: { stream: described(channelRecord, "The channel.") },
  handle: ({ realm, user, params }) => ({
    stream: renderChannel(realm.state, accessChannel(realm.state, user, params.stream_id)),
  }),
});

/** A channel's id, by its name. Case is ignored. https://zulip.com/api/get-stream-id */
export const getChannelId = route({
  doc: "https://zulip.com/api/get-stream-id",
  summary: "Returns the id of the channel with a name.",
  auth: anyAccount,
  params: { stream: text().describe("The channel's name.") },
  returns: { stream_id: channelId() },
  handle: ({ realm, user, params }) => ({ stream_id: accessChannelByName(realm.state, user, params.stream).id }),
});

/** The subscribers of a channel. https://zulip.com/api/get-subscribers */
export const getChannelMembers = route({
  doc: "https://zulip.com/api/get-subscribers",
  summary: "Lists the active users who are subscribed to a channel.",
  auth: anyAccount,
  params: { stream_id: pathInt<ChannelId>() },
  returns: { subscribers: described(array(userId()), "Ids of the subscribers.") },
  handle: ({ realm, user, params }) => ({
    subscribers: activeSubscribers(realm.state, accessChannel(realm.state, user, params.stream_id).id),
  }),
});

/** The email address of a channel. https://zulip.com/api/get-stream-email-address */
export const getChannelEmailAddress = route({
  doc: "https://zulip.com/api/get-stream-email-address",
  summary: "Returns a channel's email address, empty on a server that receives no mail.",
  auth: anyAccount,
  params: {
    stream_id: pathInt<ChannelId>(),
    sender_id: int<UserId>()
      .optional()
      .describe(
        "In whose name mail to the address is posted: the caller, one of their bots, or a bot of the organization's own, which is the default.",
      ),
  },
  returns: {
    email: described(string(), "The address; mail to it becomes a message. Empty on a server that receives no mail."),
  },
  async handle({ realm, user, params }) {
    return { email: await channelMailAddress(realm, user, params.stream_id, params.sender_id) };
  },
});

/** A channel's topics. https://zulip.com/api/get-stream-topics */
export const getTopics = route({
  doc: "https://zulip.com/api/get-stream-topics",
  summary: "Lists the topics of a channel that the caller may read, newest message first.",
  auth: ["apiKey", "cookie", "anybody"],
  params: { stream_id: pathInt<ChannelId>(), allow_empty_topic_name: bool().default(false) },
  returns: { topics: described(array(topic), "The topics, the one with the newest message first.") },
  async handle({ realm, user, params }) {
    const topics = await listTopics(realm, user, params.stream_id);
    if (params.allow_empty_topic_name) return { topics };
    return { topics: topics.map((topic) => (topic.name === "" ? { ...topic, name: emptyTopicDisplayName } : topic)) };
  },
});
