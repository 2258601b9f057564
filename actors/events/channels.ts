/** Events about channels, their folders, and people's subscriptions. On the wire a channel is a `stream`. */
import type { ChannelRecord } from "../channels/shapes.ts";
import type { PersonalFields, SubscriptionRecord } from "../subscriptions/shapes.ts";

export type StreamEvent =
  | { type: "stream"; op: "create"; streams: ChannelRecord[] }
  /** `streams` is the older form of `stream_ids`. */
  | { type: "stream"; op: "delete"; stream_ids: number[]; streams: { stream_id: number }[] }
  | StreamUpdateEvent;

/** One property of a channel. */
export interface StreamUpdateEvent {
  type: "stream";
  op: "update";
  stream_id: number;
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
  default_streams: number[];
}

export type ChannelFolderEvent =
  | { type: "channel_folder"; op: "add"; channel_folder: Record<string, unknown> }
  | { type: "channel_folder"; op: "update"; channel_folder_id: number; data: Record<string, unknown> }
  | { type: "channel_folder"; op: "reorder"; order: number[] };

/**
 * `subscription` add as the log carries it: one event for everybody whom a command subscribes. `subscriptions` has each
 * channel once. `personal` says which channels each person joined, and the fields that are theirs alone.
 */
export interface SubscriptionAddEvent {
  type: "subscription";
  op: "add";
  subscriptions: SubscriptionRecord[];
  /** User id → channel id → fields. */
  personal: Record<number, Record<number, Partial<PersonalFields>>>;
}

/** One of a person's settings for a channel. */
export interface SubscriptionUpdateEvent {
  type: "subscription";
  op: "update";
  stream_id: number;
  property: string;
  /** null inherits from the person's settings. */
  value: boolean | string | null;
}

/** Other people join or leave channels. */
export interface SubscriptionPeersEvent {
  type: "subscription";
  op: "peer_add" | "peer_remove";
  stream_ids: number[];
  user_ids: number[];
}

export type SubscriptionEvent =
  | SubscriptionAddEvent
  | { type: "subscription"; op: "remove"; subscriptions: { stream_id: number; name: string }[] }
  | SubscriptionUpdateEvent
  | SubscriptionPeersEvent
  /** For clients that do not know archived channels. Never sent as it is: see `channel-forms.ts`. */
  | { type: "subscription"; op: "archived"; stream_id: number; name: string }
  | { type: "subscription"; op: "unarchived"; stream_id: number; subscribers: number[] };

/** A person's policy for a topic. `last_updated` is in UNIX seconds. */
export interface UserTopicEvent {
  type: "user_topic";
  stream_id: number;
  topic_name: string;
  last_updated: number;
  visibility_policy: number;
}

export interface MutedTopicsEvent {
  type: "muted_topics";
  /** Channel name, topic, UNIX seconds. */
  muted_topics: [string, string, number][];
}

export type ChannelEvents =
  | StreamEvent
  | DefaultStreamsEvent
  | ChannelFolderEvent
  | SubscriptionEvent
  | UserTopicEvent
  | MutedTopicsEvent;

/** The records that a `subscription` add has for one person. */
export function subscriptionsFor(
  { subscriptions, personal }: SubscriptionAddEvent,
  userId: number,
): SubscriptionRecord[] {
  const mine = personal[userId] ?? {};
  return subscriptions.flatMap((record) => {
    const fields = mine[record.stream_id];
    return fields ? [{ ...record, ...fields }] : [];
  });
}
