/** Channels, topics and folders as answers carry them. https://zulip.com/api/get-streams */
import { array, boolean, enums, type Infer, integer, nullable, object, optional, string } from "superstruct";
import { channelGroupSettings, recordOf } from "../../storage/rows.ts";
import { groupSettingValue } from "../groups/shapes.ts";
import { channelId, folderId, messageId, userId } from "../id-shapes.ts";
import { described } from "../shape.ts";

/** A channel. It has `is_default` if the caller asked for default channels. */
export const channelFields = {
  stream_id: channelId(),
  name: described(string(), "The channel's name."),
  description: described(string(), "What the channel is for, in Markdown."),
  rendered_description: string(),
  date_created: integer(),
  creator_id: nullable(userId()),
  first_message_id: described(nullable(messageId()), "The oldest message in it; null while it is empty."),
  folder_id: nullable(folderId()),
  invite_only: boolean(),
  is_web_public: boolean(),
  history_public_to_subscribers: boolean(),
  is_archived: described(boolean(), "Whether it is archived."),
  message_retention_days: described(
    nullable(integer()),
    "Days after which messages are deleted; -1 for never, null as in the organization.",
  ),
  topics_policy: described(
    enums(["inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only"]),
    "Whether messages need a topic: as the organization says, empty ones allowed, refused, or nothing else.",
  ),
  stream_post_policy: described(
    enums([1, 2, 3, 4]),
    "Who may post, as older clients know it: 1 all, 2 administrators, 3 full members, 4 moderators.",
  ),
  is_announcement_only: described(boolean(), "Whether only administrators may post, as the oldest clients know it."),
  is_recently_active: described(boolean(), "Whether somebody wrote in it lately."),
  stream_weekly_traffic: described(nullable(integer()), "Messages a week, by the last four; null for a new channel."),
  subscriber_count: described(integer(), "How many people are subscribed."),
  ...recordOf(channelGroupSettings, () => groupSettingValue),
};
export const channelRecord = object(channelFields);
export type ChannelRecord = Infer<typeof channelRecord>;

/** A channel in a list of channels. */
export const channel = object({
  ...channelFields,
  is_default: described(optional(boolean()), "Whether new people are subscribed to it."),
});
export type ListedChannel = Infer<typeof channel>;

/** A topic of a channel. */
export const topic = object({
  name: described(string(), "The topic."),
  max_id: described(messageId(), "The newest message in it."),
});

/** A channel folder. */
export const channelFolder = object({
  id: described(folderId(), "The folder's id."),
  name: described(string(), "The folder's name."),
  description: described(string(), "What the folder is for, in Markdown."),
  rendered_description: string(),
  date_created: integer(),
  creator_id: nullable(userId()),
  is_archived: boolean(),
  order: described(integer(), "Its place among the folders."),
});
export type FolderRecord = Infer<typeof channelFolder>;

/** Channels that somebody new may choose together; `streams` are their ids, ascending. */
export const defaultChannelGroup = object({
  id: described(integer(), "The group's id."),
  name: described(string(), "The group's name."),
  description: described(string(), "What the group is for."),
  streams: described(array(channelId()), "Ids of its channels."),
});
export type DefaultChannelGroup = Infer<typeof defaultChannelGroup>;
