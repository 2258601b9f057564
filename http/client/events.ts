/**
 * Events as clients with all capabilities (`state/client-profile.ts`) get them. Those that clients look into are
 * spelled out. The others only change the fetched state, which `state/` does. https://zulip.com/api/get-events
 */
import type { EVENT_TYPES } from "./state/client-profile.ts";
import type { Message, MessageId, Reaction, SentMessage } from "./types.ts";

/** A new message. The flags are the reader's. `local_message_id` comes to the queue that the send named. */
export type NewMessageEvent = {
  id: number;
  type: "message";
  message: SentMessage;
  flags: string[];
  local_message_id?: string;
};

/** An edit of the content, a move, both, or new HTML for the same content. */
export type UpdateMessageEvent = {
  id: number;
  type: "update_message";
  message_id: MessageId;
  /** All messages that were moved. */
  message_ids: MessageId[];
  flags: string[];
  rendering_only: boolean;
  rendered_content?: string;
  edit_timestamp?: number;
  /** The channel before the move. */
  stream_id?: number;
  new_stream_id?: number;
  orig_subject?: string;
  subject?: string;
  topic_links?: Message["topic_links"];
};

export type DeleteMessageEvent = {
  id: number;
  type: "delete_message";
  message_ids: MessageId[];
  stream_id?: number;
};

export type MessageFlagsEvent = {
  id: number;
  type: "update_message_flags";
  op: "add" | "remove";
  flag: string;
  messages: MessageId[];
  /** Every message, whatever `messages` says. */
  all: boolean;
};

export type ReactionEvent = {
  id: number;
  type: "reaction";
  op: "add" | "remove";
  message_id: MessageId;
  user_id: number;
  emoji_name: string;
  emoji_code: string;
  reaction_type: Reaction["reaction_type"];
};

export type SubmessageEvent = {
  id: number;
  type: "submessage";
  submessage_id: number;
  message_id: MessageId;
  sender_id: number;
  msg_type: string;
  content: string;
};

export type TypingEvent = { id: number; type: "typing"; op: "start" | "stop"; sender: { user_id: number } } & (
  | { message_type: "stream"; stream_id: number; topic: string }
  | { message_type: "direct"; recipients: { user_id: number }[] }
);

/** Others begin or end to subscribe (`peer_…`, with `stream_ids`), or the person does, or a setting changes. */
export type SubscriptionEvent = {
  id: number;
  type: "subscription";
  op: "add" | "remove" | "update" | "peer_add" | "peer_remove";
  stream_ids?: number[];
  user_ids?: number[];
  subscriptions?: { stream_id: number }[];
};

type LookedInto =
  | NewMessageEvent
  | UpdateMessageEvent
  | DeleteMessageEvent
  | MessageFlagsEvent
  | ReactionEvent
  | SubmessageEvent
  | TypingEvent
  | SubscriptionEvent;

type OtherType = Exclude<(typeof EVENT_TYPES)[number] | "heartbeat" | "muted_topics", LookedInto["type"]>;

/** An event, by its `type`. */
export type ClientEvent = LookedInto | { id: number; type: OtherType; op?: string };
