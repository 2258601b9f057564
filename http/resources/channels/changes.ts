/** Creating, changing and archiving channels, and the list of default channels. */

import { array, nullable } from "superstruct";
import { channelId, folderId, userId } from "../../../actors/id-shapes.ts";
import { limits } from "../../../actors/realm/state/settings.ts";
import { described } from "../../../actors/shape.ts";
import type { ChannelId } from "../../../storage/ids.ts";
import { bool, int, json, pathInt, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";
import { groupSettingUpdate } from "../groups/setting-params.ts";
import {
  eachGroupSetting,
  givenGroupSettings,
  newChannelOptions,
  newChannelParams,
  retentionDays,
  storedRetention,
  topicsPolicy,
} from "./params.ts";

/** Creates a channel and subscribes people to it. https://zulip.com/api/create-channel */
export const createChannel = route({
  doc: "https://zulip.com/api/create-channel",
  summary: "Creates a channel with its subscribers and permissions.",
  auth: anyAccount,
  params: {
    name: text()
      .declares({ minLength: 1, maxLength: limits.channelName })
      .describe("The channel's name, with up to 60 characters."),
    description: text()
      .declares({ maxLength: limits.channelDescription })
      .default("")
      .describe("What the channel is for, in Markdown."),
    subscribers: json(array(userId())).describe("Ids of the subscribers."),
    ...newChannelParams,
  },
  returns: { id: described(channelId(), "The new channel's id.") },
  handle({ realm, user, params }) {
    return realm.execute("createChannel", {
      userId: user.id,
      name: params.name,
      description: params.description,
      subscriberIds: params.subscribers,
      ...newChannelOptions(params),
    });
  },
});

/** Changes a channel: its name, privacy, folder, permissions. https://zulip.com/api/update-stream */
export const updateChannel = route({
  doc: "https://zulip.com/api/update-stream",
  summary: "Changes properties and permissions of a channel, or brings it back from the archive.",
  auth: anyAccount,
  params: {
    stream_id: pathInt<ChannelId>(),
    description: text()
      .declares({ maxLength: limits.channelDescription })
      .optional()
      .describe("What the channel is for, in Markdown."),
    new_name: text().declares({ minLength: 1, maxLength: limits.channelName }).optional().describe("Another name."),
    is_private: bool().optional().describe("Whether the channel is private from now on."),
    is_web_public: bool().optional(),
    history_public_to_subscribers: bool().optional(),
    is_default_stream: bool().optional(),
    message_retention_days: retentionDays()
      .optional()
      .describe("Days after which messages are deleted; -1 for never, null as in the organization."),
    is_archived: bool().optional().describe("Whether it is archived."),
    folder_id: json(nullable(folderId())).optional(),
    topics_policy: topicsPolicy()
      .optional()
      .describe(
        "Whether messages need a topic: as the organization says, empty ones allowed, refused, or nothing else.",
      ),
    ...eachGroupSetting(groupSettingUpdate),
  },
  returns: {},
  handle({ realm, user, params }) {
    return realm.execute("updateChannel", {
      userId: user.id,
      channelId: params.stream_id,
      newName: params.new_name,
      description: params.description,
      isPrivate: params.is_private,
      isWebPublic: params.is_web_public,
      historyPublicToSubscribers: params.history_public_to_subscribers,
      isDefault: params.is_default_stream,
      messageRetentionDays:
        params.message_retention_days === undefined ? undefined : storedRetention(params.message_retention_days),
      isArchived: params.is_archived,
      folderId: params.folder_id,
      topicsPolicy: params.topics_policy,
      groups: givenGroupSettings(params),
    });
  },
});

/** Archives a channel. https://zulip.com/api/archive-stream */
export const archiveChannel = route({
  doc: "https://zulip.com/api/archive-stream",
  summary: "Archives a channel: its messages stay, nobody posts there.",
  auth: anyAccount,
  params: { stream_id: pathInt<ChannelId>() },
  returns: {},
  handle: ({ realm, user, params }) =>
    realm.execute("archiveChannel", { userId: user.id, channelId: params.stream_id }),
});

/** Adds a default channel. New users are subscribed to it. https://zulip.com/api/add-default-stream */
export const addDefaultChannel = route({
  doc: "https://zulip.com/api/add-default-stream",
  summary: "Adds a channel to those that new users are subscribed to.",
  auth: anyAccount,
  permission: "administrator",
  params: { stream_id: int<ChannelId>() },
  returns: {},
  handle: ({ realm, user, params }) =>
    realm.execute("addDefaultChannel", { userId: user.id, channelId: params.stream_id }),
});

/** Removes a default channel. https://zulip.com/api/remove-default-stream */
export const removeDefaultChannel = route({
  doc: "https://zulip.com/api/remove-default-stream",
  summary: "Takes a channel out of those that new users are subscribed to.",
  auth: anyAccount,
  permission: "administrator",
  params: { stream_id: int<ChannelId>() },
  returns: {},
  handle: ({ realm, user, params }) =>
    realm.execute("removeDefaultChannel", { userId: user.id, channelId: params.stream_id }),
});
