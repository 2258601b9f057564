/** Events about channels, their folders, and people's subscriptions. On the wire a channel is a `stream`. */

import { array, boolean, enums, integer, literal, nullable, object, string } from "superstruct";
import type { ChannelId, UserId } from "../../storage/ids.ts";
import { type ChannelRow, channelGroupSettings, subscriptionNotificationSettings } from "../../storage/rows.ts";
import { channelFields, channelFolder, channelRecord, defaultChannelGroup } from "../channels/shapes.ts";
import { groupSettingValue } from "../groups/shapes.ts";
import { channelId, eachOnce, folderId, userId } from "../id-shapes.ts";
import { described, partially } from "../shape.ts";
import { type PersonalFields, personalFields } from "../subscriptions/shapes.ts";
import { declare, logged, sentTo, type ValuesOfVariant } from "./declare.ts";

/** One property of a channel, and what is told beside it. */
const channelChanges = [
  { property: literal("name"), value: string() },
  { property: literal("description"), value: string(), rendered_description: string() },
  {
    property: literal("invite_only"),
    value: boolean(),
    history_public_to_subscribers: boolean(),
    is_web_public: boolean(),
  },
  { property: literal("message_retention_days"), value: channelFields.message_retention_days },
  { property: literal("folder_id"), value: channelFields.folder_id },
  { property: literal("topics_policy"), value: channelFields.topics_policy },
  { property: literal("stream_post_policy"), value: channelFields.stream_post_policy },
  { property: literal("first_message_id"), value: channelFields.first_message_id },
  { property: literal("is_recently_active"), value: boolean() },
  { property: literal("stream_weekly_traffic"), value: nullable(integer()) },
  { property: enums(channelGroupSettings), value: groupSettingValue },
] as const;
const archiving = { property: literal("is_archived"), value: boolean() };
export type ChannelChange = ValuesOfVariant<(typeof channelChanges)[number] | typeof archiving>;

/** `name` is the channel's name before the change. */
const updated = { op: literal("update"), stream_id: channelId(), name: string() };

const { name: folderName, description, rendered_description, is_archived } = channelFolder.schema;
const folderChanges = object(
  partially({
    name: described(folderName, "The folder's name."),
    description: described(description, "What the folder is for, in Markdown."),
    rendered_description,
    is_archived,
  }),
);

const joined = { ...channelFields, ...personalFields };
const joinedWithSubscribers = object({ ...joined, subscribers: described(array(userId()), "Ids of the subscribers.") });
type Joined = typeof joinedWithSubscribers.TYPE;

const subscriptionChanges = [
  { op: literal("remove"), subscriptions: array(object({ stream_id: channelId(), name: channelFields.name })) },
  { op: literal("update"), stream_id: channelId(), property: literal("color"), value: personalFields.color },
  {
    op: literal("update"),
    stream_id: channelId(),
    property: enums(["is_muted", "in_home_view", "pin_to_top"]),
    value: boolean(),
  },
  /** null inherits from the person's settings. */
  {
    op: literal("update"),
    stream_id: channelId(),
    property: enums(subscriptionNotificationSettings),
    value: nullable(boolean()),
  },
  /** Other people join or leave channels. */
  { op: enums(["peer_add", "peer_remove"]), stream_ids: eachOnce(channelId()), user_ids: eachOnce(userId()) },
] as const;

/**
 * `subscription` add as the log carries it: one event for everybody whom a command subscribes. `subscriptions` has each
 * channel once. `personal` says which channels each person joined, and the fields that are theirs alone.
 */
export interface SubscriptionAddEvent {
  type: "subscription";
  op: "add";
  subscriptions: Joined[];
  /** User id → channel id → fields. */
  personal: Record<UserId, Record<ChannelId, Partial<PersonalFields>>>;
}

export type SubscriptionEvent =
  | SubscriptionAddEvent
  | ({ type: "subscription" } & ValuesOfVariant<(typeof subscriptionChanges)[number]>)
  /** For clients that do not know archived channels. Never sent as it is: see `channel-forms.ts`. */
  | { type: "subscription"; op: "archived"; stream_id: ChannelId; name: string }
  | { type: "subscription"; op: "unarchived"; stream_id: ChannelId; subscribers: UserId[] };

export const channelEvents = declare({
  stream: {
    state: "replicated",
    sent: [
      { op: literal("create"), streams: array(channelRecord) },
      /** `streams` is the older form of `stream_ids`. */
      {
        op: literal("delete"),
        stream_ids: array(channelId()),
        streams: array(object({ stream_id: channelId() })),
      },
      ...channelChanges.map((change) => ({ ...updated, ...change })),
      sentTo({ has: "archived_channels" }, { ...updated, ...archiving }),
    ],
  },
  /** Channel ids, ascending. */
  default_streams: { state: "replicated", sent: [{ default_streams: array(channelId()) }] },
  /** All of them, by name. */
  default_stream_groups: { state: "replicated", sent: [{ default_stream_groups: array(defaultChannelGroup) }] },
  channel_folder: {
    state: "replicated",
    sent: [
      { op: literal("add"), channel_folder: channelFolder },
      { op: literal("update"), channel_folder_id: folderId(), data: folderChanges },
      { op: literal("reorder"), order: array(folderId()) },
    ],
  },
  subscription: {
    state: "replicated",
    logged: logged<SubscriptionEvent>(),
    sent: [
      sentTo({ includeSubscribers: true }, { op: literal("add"), subscriptions: array(joinedWithSubscribers) }),
      sentTo({ includeSubscribers: false }, { op: literal("add"), subscriptions: array(object(joined)) }),
      ...subscriptionChanges,
    ],
  },
});

/** The records that a `subscription` add has for one person. */
export function subscriptionsFor({ subscriptions, personal }: SubscriptionAddEvent, userId: UserId): Joined[] {
  const mine = personal[userId] ?? {};
  return subscriptions.flatMap((record) => {
    const fields = mine[record.stream_id];
    return fields ? [{ ...record, ...fields }] : [];
  });
}

/** The event about one changed property. `name` is the channel's name before the change. */
export const channelUpdate = ({ id, name }: Pick<ChannelRow, "id" | "name">, change: ChannelChange) =>
  ({ type: "stream", op: "update", stream_id: id, name, ...change }) as const;
