/** What became of a message: its edits, and who has read it. */
import { array, integer } from "superstruct";
import { messageHistory } from "../../../actors/messages/history.ts";
import { readReceipts } from "../../../actors/messages/read-receipts.ts";
import { bool, pathInt } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";

/** A message's edit history. https://zulip.com/api/get-message-history */
export const getMessageHistory = route({
  doc: "https://zulip.com/api/get-message-history",
  summary: "Fetches the versions of a message, oldest first.",
  auth: anyAccount,
  params: { message_id: pathInt(), allow_empty_topic_name: bool().default(false) },
  returns: { message_history: { type: "array", items: { type: "object" } } },
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
  params: { message_id: pathInt() },
  returns: { user_ids: array(integer()) },
  async handle({ realm, user, params }) {
    return { user_ids: await readReceipts(realm, user, params.message_id) };
  },
});
