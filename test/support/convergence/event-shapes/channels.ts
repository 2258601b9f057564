/** Shapes of the events about channels, folders and user groups. https://zulip.com/api/get-events */
import { array, enums, object, optional, refine, string } from "superstruct";
import type { EventShape } from "./messages.ts";
import {
  bool,
  CHANNEL_FIELDS,
  channel,
  channelFolder,
  defaultStreamGroup,
  exactly,
  GROUP_DATA,
  int,
  ints,
  listOf,
  partly,
  str,
  subscription,
  userGroup,
  value,
} from "./objects.ts";

/** The fields of a channel that an update may name. */
const CHANNEL_PROPERTIES = Object.keys(CHANNEL_FIELDS).filter(
  (field) =>
    ![
      "stream_id",
      "rendered_description",
      "date_created",
      "creator_id",
      "is_web_public",
      "history_public_to_subscribers",
      "is_announcement_only",
      "subscriber_count",
    ].includes(field),
);

const updateChannel: EventShape = (event) => {
  const property = event["property"] as string;
  return {
    stream_id: int,
    name: str,
    property: enums(CHANNEL_PROPERTIES),
    value: CHANNEL_FIELDS[property] ?? value,
    ...(property === "description" && { rendered_description: str }),
    ...(property === "invite_only" && { history_public_to_subscribers: bool, is_web_public: bool }),
  };
};

const SUBSCRIPTION_PROPERTIES = [
  "color",
  "pin_to_top",
  "is_muted",
  "in_home_view",
  "desktop_notifications",
  "audible_notifications",
  "push_notifications",
  "email_notifications",
  "wildcard_mentions_notify",
];

const updateSubscription: EventShape = (event) => ({
  stream_id: int,
  property: enums(SUBSCRIPTION_PROPERTIES),
  value:
    event["property"] === "color"
      ? refine(string(), "color", (color) => (/^#[0-9a-f]{6}$/.test(color) ? true : "Expected lower-case hex"))
      : bool,
});

const peers: EventShape = () => ({ stream_ids: nonEmpty, user_ids: nonEmpty });

/** Each change is sent once and only for real changes. */
const nonEmpty = refine(ints, "real", (list) =>
  list.length > 0 && new Set(list).size === list.length ? true : "Expected at least one id, each once",
);

const members: EventShape = () => ({ group_id: int, user_ids: ints });
const subgroups: EventShape = () => ({ group_id: int, direct_subgroup_ids: ints });

/** Shapes by `type` or `type/op`. */
export const channelShapes: Readonly<Record<string, EventShape>> = {
  "subscription/add": (_event, profile) => ({ subscriptions: listOf(subscription(profile)) }),
  "subscription/remove": () => ({ subscriptions: array(object({ stream_id: int, name: str })) }),
  "subscription/update": updateSubscription,
  "subscription/peer_add": peers,
  "subscription/peer_remove": peers,
  "stream/create": () => ({ streams: listOf(channel) }),
  "stream/delete": () => ({ stream_ids: ints, streams: array(object({ stream_id: int })) }),
  "stream/update": updateChannel,
  "channel_folder/add": () => ({ channel_folder: channelFolder }),
  "channel_folder/update": () => ({
    channel_folder_id: int,
    data: exactly({
      name: optional(str),
      description: optional(str),
      rendered_description: optional(str),
      is_archived: optional(bool),
    }),
  }),
  "channel_folder/reorder": () => ({ order: ints }),
  "user_group/add": () => ({ group: userGroup }),
  "user_group/update": () => ({ group_id: int, data: exactly(partly(GROUP_DATA)) }),
  "user_group/add_members": members,
  "user_group/remove_members": members,
  "user_group/add_subgroups": subgroups,
  "user_group/remove_subgroups": subgroups,
  "user_group/remove": () => ({ group_id: int }),
  default_streams: () => ({ default_streams: ints }),
  default_stream_groups: () => ({ default_stream_groups: listOf(defaultStreamGroup) }),
};
