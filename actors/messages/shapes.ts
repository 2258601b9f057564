/** Messages as answers carry them. https://zulip.com/api/get-messages */
import { array, enums, integer, nullable, object, optional, string } from "superstruct";
import { either } from "../either.ts";
import { direct, inChannel, messageFields } from "../events/messages.ts";
import { channelId, userId } from "../id-shapes.ts";
import { described } from "../shape.ts";

/** What an edit changed, and what was there before. */
const edit = object({
  user_id: described(nullable(userId()), "Who edited it."),
  timestamp: integer(),
  prev_content: described(optional(string()), "What it said before, as it was written."),
  prev_rendered_content: described(optional(string()), "What it said before, as HTML."),
  prev_topic: optional(string()),
  topic: described(optional(string()), "The topic since then."),
  prev_stream: optional(channelId()),
  stream: described(optional(channelId()), "The channel's id since then."),
});

const recordFields = {
  ...messageFields,
  content_type: described(
    enums(["text/html", "text/x-markdown"]),
    "What the content is: `text/html`, or `text/x-markdown` as it was written.",
  ),
  type: described(enums(["stream", "private"]), "`stream` in a channel, `private` for direct messages."),
  stream_id: described(optional(channelId()), "The channel's id; direct messages have none."),
  display_recipient: described(
    either(inChannel.display_recipient, direct.display_recipient),
    "The channel's name, or the people of the conversation.",
  ),
  subject: described(string(), "The topic, under its older name."),
  flags: described(array(string()), "The caller's own flags on it, such as `read`, `starred` and `mentioned`."),
  edit_history: described(
    optional(array(edit)),
    "What edits changed, newest first, where the organization shows that.",
  ),
  last_edit_timestamp: described(optional(integer()), "When the text was last changed, in UNIX seconds."),
  last_moved_timestamp: described(
    optional(integer()),
    "When it was last moved to another topic or channel, in UNIX seconds.",
  ),
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
