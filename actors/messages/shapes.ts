/** Messages as answers carry them. https://zulip.com/api/get-messages */
import { array, enums, integer, nullable, object, optional, string } from "superstruct";
import { either } from "../either.ts";
import { direct, inChannel, messageFields } from "../events/messages.ts";
import { channelId, userId } from "../id-shapes.ts";

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

const recordFields = {
  ...messageFields,
  content_type: enums(["text/html", "text/x-markdown"]),
  type: enums(["stream", "private"]),
  stream_id: optional(channelId()),
  display_recipient: either(inChannel.display_recipient, direct.display_recipient),
  subject: string(),
  flags: array(string()),
  edit_history: optional(array(edit)),
  last_edit_timestamp: optional(integer()),
  last_moved_timestamp: optional(integer()),
};
export const messageRecord = object(recordFields);

/** A message in a list. It has the words that a narrow searches for if there are any. */
export const listedMessage = object({
  ...recordFields,
  match_content: optional(string()),
  match_subject: optional(string()),
});

/** A message with the words that a narrow searches for marked, as HTML. */
export const messageMatch = object({ match_content: string(), match_subject: string() });
