/** The edit history and the read receipts of a message. */
import { array, integer, nullable, object, optional, string } from "superstruct";
import { channelId, userId } from "../../../actors/id-shapes.ts";
import { messageHistory } from "../../../actors/messages/changes/history.ts";
import { readReceipts } from "../../../actors/messages/read-receipts.ts";
import { described } from "../../../actors/shape.ts";
import type { MessageId } from "../../../storage/ids.ts";
import { bool, pathInt } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";

/** A version of a message. A changed field also has its previous value. */
const messageVersion = object({
  topic: described(string(), "The topic at that time."),
  content: described(string(), "The text at that time, as it was written."),
  rendered_content: described(string(), "The text at that time, as HTML."),
  timestamp: described(integer(), "When it was written, in UNIX seconds."),
  user_id: described(nullable(userId()), "Who wrote it."),
  prev_topic: optional(string()),
  stream: described(optional(channelId()), "The channel's id since then."),
  prev_stream: optional(channelId()),
  prev_content: described(optional(string()), "The text before that edit, as it was written."),
  prev_rendered_content: described(optional(string()), "The text before that edit, as HTML."),
  content_html_diff: described(optional(string()), "The text as HTML, with what the edit added and removed marked."),
});

/** A message's edit history. https://zulip.com/api/get-message-history */
export const getMessageHistory = route({
  doc: "https://zulip.com/api/get-message-history",
  summary: "Fetches the versions of a message, oldest first.",
  auth: anyAccount,
  params: { message_id: pathInt<MessageId>(), allow_empty_topic_name: bool().default(false) },
  returns: { message_history: described(array(messageVersion), "The versions, oldest first.") },
  async handle({ realm, user, params }) {
    const view = { allowEmptyTopicName: params.allow_empty_topic_name };
    return { message_history: await messageHistory(realm, user, params.message_id, view) };
  },
});

/** Who has read a message. https://zulip.com/api/get-read-receipts */
export const getReadReceipts = route({
  doc: "https://zulip.com/api/get-read-receipts",
  summary: "Fetches the ids of the users who have read a message.",
  auth: anyAccount,
  params: { message_id: pathInt<MessageId>() },
  returns: { user_ids: described(array(userId()), "Who has read it, apart from people who do not tell.") },
  async handle({ realm, user, params }) {
    return { user_ids: await readReceipts(realm, user, params.message_id) };
  },
});
