/** Events about messages. Times are UNIX seconds. https://zulip.com/api/get-events */
import type { AttachmentId, ChannelId, MessageId, RecipientId, SubmessageId, UserId } from "../../storage/ids.ts";
import type { AttachmentRecord } from "../../storage/messages/attachments.ts";
import type { SubmessageRow } from "../../storage/messages/reactions.ts";

/** A message as the log carries it: both forms of the content, and beside it what differs between readers. */
export interface MessageEvent {
  type: "message";
  message: WireMessage;
  /** The sender has read it: flag `read` for them. */
  read_by_sender: boolean;
  /** User id → flags that this user alone has (mentioned, has_alert_word, …). */
  flags: Record<string, string[]>;
  /** Flags of everyone: wildcard mentions. */
  common_flags: string[];
  /** Ids of users for whom it is read at once, ascending: they muted the sender. */
  read_by?: UserId[];
  /** Some who receive it may not know of the sender, by `can_access_all_users_group`. */
  has_strangers?: true;
  /** The first part of the widget that it is. */
  widget?: SubmessageRow;
  /** The queue that the send named, and the `local_id` that only this queue gets back. */
  local?: { queue_id: string; local_id: string };
}

/** A message with the Markdown source and the HTML side by side. */
export interface WireMessage {
  id: MessageId;
  sender_id: UserId;
  sender_email: string;
  sender_full_name: string;
  sender_realm_str: string;
  /** The URL to show; `gravatar` says that a client can compute it, from `sender_email`. */
  avatar_url: string;
  gravatar: boolean;
  /** The URL for readers who may know the sender's address, if not everybody may. */
  hidden_gravatar?: string | undefined;
  content: string;
  rendered_content: string;
  timestamp: number;
  client: string;
  type: "stream" | "private";
  stream_id?: ChannelId;
  display_recipient: string | { id: UserId; email: string; full_name: string; is_mirror_dummy: boolean }[];
  recipient_id: RecipientId;
  subject: string;
  topic_links: TopicLink[];
  is_me_message: boolean;
}

export interface TopicLink {
  text: string;
  url: string;
}

/** The flags that an edited message's readers have, told by exceptions. */
export interface FlagsNow {
  /** User id → flags beside `read` that this user alone has. */
  user_flags: Record<string, string[]>;
  /** Flags of everybody. */
  common_flags: string[];
  /** Those who have read it, or those who have not, whichever list is shorter; ascending. */
  read_by?: UserId[];
  unread_by?: UserId[];
}

/** An edit of the content, a move, or both; or only new HTML for the content that was there. */
export interface UpdateMessageEvent extends FlagsNow {
  type: "update_message";
  /** Who did it; null: the server. */
  user_id: UserId | null;
  rendering_only: boolean;
  message_id: MessageId;
  /** Every message that changed, ascending. */
  message_ids: MessageId[];
  edit_timestamp: number;
  stream_id?: ChannelId;
  orig_content?: string;
  orig_rendered_content?: string;
  content?: string;
  rendered_content?: string;
  is_me_message?: boolean;
  orig_subject?: string;
  propagate_mode?: "change_one" | "change_later" | "change_all";
  subject?: string;
  topic_links?: TopicLink[];
  new_stream_id?: ChannelId;
}

/** Takes as many positions as it has ids: older clients get one event for each. */
export interface DeleteMessageEvent {
  type: "delete_message";
  message_type: "stream" | "private";
  message_ids: MessageId[];
  stream_id?: ChannelId;
  topic?: string;
}

export interface UpdateMessageFlagsEvent {
  type: "update_message_flags";
  op: "add" | "remove";
  /** The older name of `op`. */
  operation: "add" | "remove";
  flag: string;
  messages: MessageId[];
  all: boolean;
  /** By message id, for messages that became unread again. */
  message_details?: Record<string, UnreadDetails>;
}

/** The conversation in which an unread message counts. */
export interface UnreadDetails {
  type: "stream" | "private";
  mentioned?: boolean;
  stream_id?: ChannelId;
  topic?: string;
  user_ids?: UserId[];
  unmuted_stream_msg?: boolean;
}

export interface ReactionEvent {
  type: "reaction";
  op: "add" | "remove";
  message_id: MessageId;
  user_id: UserId;
  emoji_name: string;
  emoji_code: string;
  reaction_type: string;
  user: { user_id: UserId; email: string; full_name: string };
}

/** A part of a widget: a vote, an option, a task. `content` is JSON that the widget understands. */
export interface SubmessageEvent {
  type: "submessage";
  msg_type: string;
  message_id: MessageId;
  submessage_id: SubmessageId;
  sender_id: UserId;
  content: string;
}

/** `upload_space_used` is in bytes, of the whole organization. */
export type AttachmentEvent =
  | { type: "attachment"; op: "add" | "update"; attachment: AttachmentRecord; upload_space_used: number }
  | { type: "attachment"; op: "remove"; attachment: { id: AttachmentId }; upload_space_used: number };

export type MessageEvents =
  | MessageEvent
  | UpdateMessageEvent
  | DeleteMessageEvent
  | UpdateMessageFlagsEvent
  | ReactionEvent
  | SubmessageEvent
  | AttachmentEvent;
