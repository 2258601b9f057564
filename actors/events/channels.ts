/** Events about channels, their folders, and people's subscriptions. On the wire a channel is a `stream`. */
import type { ChannelId, FolderId, UserId } from "../../storage/ids.ts";
import type { ChannelRecord, DefaultChannelGroup } from "../channels/shapes.ts";
import type { PersonalFields, SubscriptionRecord } from "../subscriptions/shapes.ts";

export type StreamEvent =
  | { type: "stream"; op: "create"; streams: ChannelRecord[] }
  /** `streams` is the older form of `stream_ids`. */
  | { type: "stream"; op: "delete"; stream_ids: ChannelId[]; streams: { stream_id: ChannelId }[] }
  | StreamUpdateEvent;

/** One property of a channel. */
export interface StreamUpdateEvent {
  type: "stream";
  op: "update";
  stream_id: ChannelId;
  /** The channel's name before the change. */
  name: string;
  property: string;
  value: unknown;
  /** With `description`. */
  rendered_description?: string;
  /** With `invite_only`. */
  history_public_to_subscribers?: boolean;
  is_web_public?: boolean;
}

export interface DefaultStreamsEvent {
  type: "default_streams";
  /** Channel ids, ascending. */
  default_streams: ChannelId[];
}

export interface DefaultStreamGroupsEvent {
  type: "default_stream_groups";
  /** All of them, by name. */
  default_stream_groups: DefaultChannelGroup[];
}

export type ChannelFolderEvent =
  | { type: "channel_folder"; op: "add"; channel_folder: Record<string, unknown> }
  | { type: "channel_folder"; op: "update"; channel_folder_id: FolderId; data: Record<string, unknown> }
  | { type: "channel_folder"; op: "reorder"; order: FolderId[] };

/**
 * `subscription` add as the log carries it: one event for everybody whom a command subscribes. `subscriptions` has each
 * channel once. `personal` says which channels each person joined, and the fields that are theirs alone.
 */
export interface SubscriptionAddEvent {
  type: "subscription";
  op: "add";
  subscriptions: SubscriptionRecord[];
  /** User id → channel id → fields. */
  personal: Record<UserId, Record<ChannelId, Partial<PersonalFields>>>;
}

/** One of a person's settings for a channel. */
export interface SubscriptionUpdateEvent {
  type: "subscription";
  op: "update";
  stream_id: ChannelId;
  property: string;
  /** null inherits from the person's settings. */
  value: boolean | string | null;
}

/** Other people join or leave channels. */
export interface SubscriptionPeersEvent {
  type: "subscription";
  op: "peer_add" | "peer_remove";
  stream_ids: ChannelId[];
  user_ids: UserId[];
}

export type SubscriptionEvent =
  | SubscriptionAddEvent
  | { type: "subscription"; op: "remove"; subscriptions: { stream_id: ChannelId; name: string }[] }
  | SubscriptionUpdateEvent
  | SubscriptionPeersEvent
  /** For clients that do not know archived channels. Never sent as it is: see `channel-forms.ts`. */
  | { type: "subscription"; op: "archived"; stream_id: ChannelId; name: string }
  | { type: "subscription"; op: "unarchived"; stream_id: ChannelId; subscribers: UserId[] };

export type ChannelEvents =
  | StreamEvent
  | DefaultStreamsEvent
  | DefaultStreamGroupsEvent
  | ChannelFolderEvent
  | SubscriptionEvent;

/** The records that a `subscription` add has for one person. */
export function subscriptionsFor(
  { subscriptions, personal }: SubscriptionAddEvent,
  userId: UserId,
): SubscriptionRecord[] {
  const mine = personal[userId] ?? {};
  return subscriptions.flatMap((record) => {
    const fields = mine[record.stream_id];
    return fields ? [{ ...record, ...fields }] : [];
  });
}
