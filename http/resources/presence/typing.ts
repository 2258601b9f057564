/** Typing notifications. */
import { array, integer, size } from "superstruct";
import { either } from "../../../actors/either.ts";
import { badRequest } from "../../../actors/errors.ts";
import { typingEdit, typingInChannel, typingToPeople } from "../../../actors/presence/changes/typing.ts";
import { annotated } from "../../../actors/shape.ts";
import type { ChannelId, MessageId } from "../../../storage/ids.ts";
import { int, json, oneOf, pathInt, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";

/** The largest number of people in a group conversation. */
const maxRecipients = 1000;

/** Tells others that the caller started or stopped typing. https://zulip.com/api/set-typing-status */
export const setTyping = route({
  doc: "https://zulip.com/api/set-typing-status",
  summary: "Tells the people of a conversation that somebody began or stopped to write.",
  auth: anyAccount,
  isUnaudited: true,
  params: {
    op: oneOf("start", "stop").describe("Whether the caller began or stopped to write."),
    type: oneOf("direct", "private", "stream", "channel")
      .default("direct")
      .describe("`channel` or `direct`; `stream` and `private` are older names."),
    to: json(either(integer(), annotated(size(array(integer()), 0, maxRecipients), { maxItems: maxRecipients })))
      .optional()
      .describe("Ids of the people who are written to; in a channel, its id."),
    stream_id: int<ChannelId>().optional().describe("The channel that is written to."),
    topic: text().optional().describe("The topic that is written to."),
  },
  returns: {},
  handle({ realm, user, params }) {
    const { state } = realm;
    if (params.type === "direct" || params.type === "private") {
      if (params.to === undefined) throw badRequest("Missing 'to' argument");
      const ids = typeof params.to === "number" ? [params.to] : params.to;
      const entry = typingToPeople(state, user, params.op, ids);
      if (entry) realm.publish(entry);
      return {};
    }
    // Older clients name the channel in a list of one.
    const channelId = params.stream_id ?? (Array.isArray(params.to) ? params.to[0] : params.to);
    if (channelId === undefined) throw badRequest("Missing stream_id");
    if (params.topic === undefined) throw badRequest("Missing topic");
    const entry = typingInChannel(state, user, params.op, channelId, params.topic);
    if (entry) realm.publish(entry);
    return {};
  },
});

/** Typing notifications while editing a message. https://zulip.com/api/set-typing-status-for-message-edit */
export const setTypingForEdit = route({
  doc: "https://zulip.com/api/set-typing-status-for-message-edit",
  summary: "Tells a message's readers that its sender began or stopped to edit it.",
  auth: anyAccount,
  isUnaudited: true,
  params: {
    message_id: pathInt<MessageId>(),
    op: oneOf("start", "stop").describe("Whether the caller began or stopped to write."),
  },
  returns: {},
  async handle({ realm, user, params }) {
    const entry = await typingEdit(realm, user, params.op, params.message_id);
    if (entry) realm.publish(entry);
    return {};
  },
});
