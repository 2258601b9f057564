/** Events about messages. Times are UNIX seconds. https://zulip.com/api/get-events */
import { array, boolean, enums, integer, literal, nullable, object, optional, refine, size, string } from "superstruct";
import type { ChannelId, MessageId, RecipientId, UserId } from "../../storage/ids.ts";
import type { SubmessageRow } from "../../storage/messages/reactions.ts";
import { either } from "../either.ts";
import {
  ascending,
  attachmentId,
  byId,
  channelId,
  eachOnce,
  messageId,
  recipientId,
  submessageId,
  userId,
} from "../id-shapes.ts";
import { annotated, described } from "../shape.ts";
import { declare, type EventFields, logged, sentTo } from "./declare.ts";

const emojiFields = {
  emoji_name: string(),
  emoji_code: string(),
  reaction_type: enums(["unicode_emoji", "realm_emoji", "zulip_extra_emoji"]),
};
const reaction = object({ ...emojiFields, user_id: described(userId(), "Who reacted.") });
/** A part of a widget: a vote, an option, a task. `content` is JSON that the widget understands. */
const submessage = object({
  id: described(submessageId(), "The part's id."),
  message_id: messageId(),
  sender_id: userId(),
  msg_type: string(),
  content: described(string(), "What the part says, as JSON."),
});
const participant = object({
  id: described(userId(), "The person's id."),
  email: described(string(), "The person's address, as the API shows it."),
  full_name: string(),
  is_mirror_dummy: described(boolean(), "Always false: a leftover of older versions."),
});
const topicLinks = array(
  object({ text: described(string(), "What the topic says there."), url: described(string(), "Where it leads.") }),
);
export type TopicLink = (typeof topicLinks.TYPE)[number];

/** What a message has wherever clients see one. */
export const messageFields = {
  id: described(messageId(), "The message's id. Ids grow with time."),
  sender_id: userId(),
  sender_email: described(string(), "The sender's address, as the API shows it."),
  sender_full_name: described(string(), "The sender's name."),
  sender_realm_str: described(string(), "The organization's subdomain."),
  /** null: the client computes it from the address. */
  avatar_url: nullable(string()),
  content: described(string(), "The text, as HTML or as it was written."),
  timestamp: described(integer(), "When it was sent, in UNIX seconds."),
  client: described(string(), "Which client sent it."),
  recipient_id: described(recipientId(), "The same number for all messages of a channel or a direct conversation."),
  topic_links: topicLinks,
  is_me_message: described(boolean(), "Whether it begins with `/me`."),
  reactions: described(array(reaction), "Emoji reactions, oldest first."),
  submessages: described(array(submessage), "Parts of a widget, such as the votes of a poll."),
};
const place = "`stream` in a channel, `private` in a direct conversation.";
/** What says where it is: the channel's name, or the people of the conversation. */
export const inChannel = {
  type: described(literal("stream"), place),
  stream_id: channelId(),
  display_recipient: described(string(), "The channel's name."),
  subject: described(string(), "The topic."),
};
export const direct = {
  type: described(literal("private"), place),
  display_recipient: described(array(participant), "The people of the conversation."),
  subject: described(literal(""), "Empty: direct messages have no topic."),
};

const format = "The format of `content`.";
const html = described(literal("text/html"), format);
const markdown = described(literal("text/x-markdown"), format);
const sentMessage = <const F extends EventFields>(fields: F) => ({
  message: object({ ...messageFields, ...fields }),
  flags: array(string()),
  /** For the queue that the send named. */
  local_message_id: optional(string()),
});

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

const changed = {
  message_id: messageId(),
  /** Every message that changed, ascending. */
  message_ids: ascending(messageId()),
  flags: array(string()),
  edit_timestamp: integer(),
};
/** Who did it; null: the server. */
const changedBy = { user_id: nullable(userId()), rendering_only: literal(false), ...changed };
const newContent = described(string(), "The new text, as it was written.");
const edited = {
  orig_content: string(),
  orig_rendered_content: string(),
  content: newContent,
  rendered_content: string(),
  is_me_message: boolean(),
};
const moved = {
  stream_id: channelId(),
  orig_subject: string(),
  propagate_mode: enums(["change_one", "change_later", "change_all"]),
};
const toTopic = { subject: string(), topic_links: topicLinks };
const toChannel = { new_stream_id: channelId() };

const deletedInChannel = { message_type: literal("stream"), stream_id: channelId(), topic: string() };
const deletedDirect = { message_type: literal("private") };
const bulk = "bulk_message_deletion";

/** The conversation in which an unread message counts. */
const unread = { mentioned: described(optional(boolean()), "Whether the message mentions the user.") };
const unreadDetails = either(
  object({ ...unread, type: inChannel.type, stream_id: channelId(), topic: inChannel.subject }),
  object({
    ...unread,
    type: direct.type,
    user_ids: described(array(userId()), "Ids of the other people of the conversation."),
  }),
);
export type UnreadDetails = typeof unreadDetails.TYPE;

/** `operation` is the older name of `op`. */
const flagged = { op: literal("add"), operation: literal("add") };
const unflagged = {
  op: literal("remove"),
  operation: literal("remove"),
  messages: eachOnce(messageId()),
  all: literal(false),
};
export interface UpdateMessageFlagsEvent {
  type: "update_message_flags";
  op: "add" | "remove";
  operation: "add" | "remove";
  flag: string;
  messages: MessageId[];
  all: boolean;
  /** By message id, for messages that became unread again. */
  message_details?: Record<string, UnreadDetails>;
}

/** An upload, and the messages that link to it. */
export const attachment = object({
  id: described(attachmentId(), "The file's id."),
  name: described(string(), "The file's name."),
  path_id: described(string(), "The file's path, as it stands in its address."),
  size: described(integer(), "Its bytes."),
  create_time: described(integer(), "When it was uploaded, in UNIX milliseconds."),
  /** An older form of `message_ids`. */
  messages: described(
    array(
      object({
        id: described(messageId(), "The message's id. Ids grow with time."),
        date_sent: described(integer(), "When the message was sent, in UNIX milliseconds."),
      }),
    ),
    "Messages that link to it.",
  ),
  message_ids: described(array(messageId()), "Ids of the messages that link to it."),
});
/** In bytes, of the whole organization. */
const spaceUsed = { upload_space_used: integer() };

export const messageEvents = declare({
  message: {
    state: "stored",
    logged: logged<MessageEvent>(),
    sent: [
      sentTo({ applyMarkdown: true }, sentMessage({ ...inChannel, content_type: html })),
      sentTo({ applyMarkdown: true }, sentMessage({ ...direct, content_type: html })),
      sentTo({ applyMarkdown: false }, sentMessage({ ...inChannel, content_type: markdown })),
      sentTo({ applyMarkdown: false }, sentMessage({ ...direct, content_type: markdown })),
    ],
  },
  /** An edit of the content, a move, or both; or only new HTML for the content that was there. */
  update_message: {
    state: "stored",
    logged: logged<UpdateMessageEvent>(),
    sent: [
      { ...changedBy, ...edited, stream_id: optional(channelId()) },
      { ...changedBy, ...moved, ...toTopic },
      { ...changedBy, ...moved, ...toTopic, ...edited },
      { ...changedBy, ...moved, ...toChannel },
      { ...changedBy, ...moved, ...toChannel, ...toTopic },
      {
        user_id: literal(null),
        rendering_only: literal(true),
        ...changed,
        stream_id: optional(channelId()),
        content: newContent,
        rendered_content: string(),
      },
    ],
  },
  delete_message: {
    state: "stored",
    logged: logged<DeleteMessageEvent>(),
    sent: [
      sentTo({ has: bulk }, { message_ids: ascending(messageId()), ...deletedInChannel }),
      sentTo({ has: bulk }, { message_ids: ascending(messageId()), ...deletedDirect }),
      sentTo({ lacks: bulk }, { message_id: messageId(), ...deletedInChannel }),
      sentTo({ lacks: bulk }, { message_id: messageId(), ...deletedDirect }),
    ],
  },
  /** `all`: every message of the person. */
  update_message_flags: {
    state: "stored",
    logged: logged<UpdateMessageFlagsEvent>(),
    sent: [
      { ...flagged, flag: string(), messages: eachOnce(messageId()), all: literal(false) },
      {
        ...flagged,
        flag: literal("read"),
        messages: annotated(size(array(messageId()), 0), { maxItems: 0 }),
        all: literal(true),
      },
      { ...unflagged, flag: refine(string(), "flag without details", (flag) => flag !== "read") },
      { ...unflagged, flag: literal("read"), message_details: byId(unreadDetails) },
    ],
  },
  reaction: {
    state: "stored",
    sent: [
      {
        op: enums(["add", "remove"]),
        message_id: messageId(),
        user_id: userId(),
        ...emojiFields,
        user: object({ user_id: userId(), email: string(), full_name: string() }),
      },
    ],
  },
  submessage: {
    state: "stored",
    sent: [
      {
        msg_type: string(),
        message_id: messageId(),
        submessage_id: submessageId(),
        sender_id: userId(),
        content: submessage.schema.content,
      },
    ],
  },
  attachment: {
    state: "stored",
    sent: [
      { op: enums(["add", "update"]), attachment, ...spaceUsed },
      { op: literal("remove"), attachment: object({ id: attachment.schema.id }), ...spaceUsed },
    ],
  },
});
