/** Messages as answers carry them. https://zulip.com/api/get-messages */
import { array, boolean, enums, integer, nullable, object, optional, string } from "superstruct";
import { either } from "../either.ts";
import { channelId, messageId, recipientId, submessageId, userId } from "../id-shapes.ts";

const reaction = object({
  emoji_name: string(),
  emoji_code: string(),
  reaction_type: enums(["unicode_emoji", "realm_emoji", "zulip_extra_emoji"]),
  user_id: userId(),
});
const submessage = object({
  id: submessageId(),
  message_id: messageId(),
  sender_id: userId(),
  msg_type: string(),
  content: string(),
});
const participant = object({ id: userId(), email: string(), full_name: string(), is_mirror_dummy: boolean() });

/** What an edit changed, and what was there before. */
const edit = object({
  user_id: nullable(userId()),
  timestamp: integer(),
  prev_content: optional(string()),
  prev_rendered_content: optional(string()),
  prev_topic: optional(string()),
  topic: optional(string()),
  prev_stream: optional(channelId()),
  stream: optional(channelId()),
});

const messageFields = {
  id: messageId(),
  sender_id: userId(),
  sender_email: string(),
  sender_full_name: string(),
  sender_realm_str: string(),
  /** null: the client computes it from the address. */
  avatar_url: nullable(string()),
  content: string(),
  content_type: enums(["text/html", "text/x-markdown"]),
  timestamp: integer(),
  client: string(),
  type: enums(["stream", "private"]),
  stream_id: optional(channelId()),
  /** The channel's name, or the people of the conversation. */
  display_recipient: either(string(), array(participant)),
  recipient_id: recipientId(),
  subject: string(),
  topic_links: array(object({ text: string(), url: string() })),
  is_me_message: boolean(),
  reactions: array(reaction),
  submessages: array(submessage),
  flags: array(string()),
  edit_history: optional(array(edit)),
  last_edit_timestamp: optional(integer()),
  last_moved_timestamp: optional(integer()),
};
export const messageRecord = object(messageFields);

/** A message in a list. It has the words that a narrow searches for if there are any. */
export const listedMessage = object({
  ...messageFields,
  match_content: optional(string()),
  match_subject: optional(string()),
});

/** A message with the words that a narrow searches for marked, as HTML. */
export const messageMatch = object({ match_content: string(), match_subject: string() });
