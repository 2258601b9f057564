/** Channels, topics and folders as answers carry them. https://zulip.com/api/get-streams */
import { array, boolean, enums, type Infer, integer, nullable, object, optional, string } from "superstruct";
import { type ChannelGroupSetting, channelGroupSettings } from "../../storage/rows.ts";
import { groupSettingValue } from "../groups/shapes.ts";
import { channelId, folderId, messageId, userId } from "../id-shapes.ts";

/** A channel. It has `is_default` if the caller asked for default channels. */
export const channelFields = {
  stream_id: channelId(),
  name: string(),
  description: string(),
  rendered_description: string(),
  date_created: integer(),
  creator_id: nullable(userId()),
  first_message_id: nullable(messageId()),
  folder_id: nullable(folderId()),
  invite_only: boolean(),
  is_web_public: boolean(),
  history_public_to_subscribers: boolean(),
  is_archived: boolean(),
  message_retention_days: nullable(integer()),
  topics_policy: enums(["inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only"]),
  stream_post_policy: enums([1, 2, 3, 4]),
  is_announcement_only: boolean(),
  is_recently_active: boolean(),
  stream_weekly_traffic: nullable(integer()),
  subscriber_count: integer(),
  ...(Object.fromEntries(channelGroupSettings.map((name) => [name, groupSettingValue])) as Record<
    ChannelGroupSetting,
    typeof groupSettingValue
  >),
};
export const channelRecord = object(channelFields);
export type ChannelRecord = Infer<typeof channelRecord>;

/** A channel in a list of channels. */
export const channel = object({ ...channelFields, is_default: optional(boolean()) });
export type ListedChannel = Infer<typeof channel>;

/** A topic of a channel. */
export const topic = object({ name: string(), max_id: messageId() });

/** A channel folder. */
export const channelFolder = object({
  id: folderId(),
  name: string(),
  description: string(),
  rendered_description: string(),
  date_created: integer(),
  creator_id: nullable(userId()),
  is_archived: boolean(),
  order: integer(),
});
export type FolderRecord = Infer<typeof channelFolder>;

/** Channels that somebody new may choose together; `streams` are their ids, ascending. */
export const defaultChannelGroup = object({
  id: integer(),
  name: string(),
  description: string(),
  streams: array(channelId()),
});
export type DefaultChannelGroup = Infer<typeof defaultChannelGroup>;
