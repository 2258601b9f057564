/** Reading messages: those of a narrow, one message, which messages match a narrow, and rendering a text. */
import { array, boolean, optional, record, string } from "superstruct";
import { badRequest, errors } from "../../../actors/errors.ts";
import { messageId } from "../../../actors/id-shapes.ts";
import { previewMessage } from "../../../actors/messages/preview.ts";
import { listedMessage, messageMatch, messageRecord } from "../../../actors/messages/shapes.ts";
import { truncate, truncationNotice } from "../../../actors/messages/typed-text.ts";
import { fetchAround, fetchByIds, fetchOne, matchNarrow } from "../../../actors/narrow/fetch-messages.ts";
import { limits } from "../../../actors/realm/state/settings.ts";
import { described } from "../../../actors/shape.ts";
import type { MessageId } from "../../../storage/ids.ts";
import { bool, count, cutText, pathInt } from "../../api/params.ts";
import { PiecesReply } from "../../api/reply.ts";
import { anyAccount, route } from "../../api/route.ts";
import { anchorDateParam, anchorParam, messageIdsParam, narrowParam, readAnchor, readNarrow } from "./narrow-param.ts";

/** Messages of a narrow around an anchor. https://zulip.com/api/get-messages */
export const getMessages = route({
  doc: "https://zulip.com/api/get-messages",
  summary: "Fetches messages around an anchor that fit a narrow, or messages by their ids.",
  auth: ["apiKey", "cookie", "anybody"],
  params: {
    anchor: anchorParam(),
    anchor_date: anchorDateParam(),
    use_first_unread_anchor: bool().default(false).describe("The older way to say `anchor=first_unread`."),
    include_anchor: bool().default(true),
    num_before: count().optional(),
    num_after: count().optional(),
    narrow: narrowParam(),
    client_gravatar: bool().default(true),
    apply_markdown: bool().default(true),
    allow_empty_topic_name: bool().default(false),
    message_ids: messageIdsParam().optional(),
  },
  returns: {
    anchor: described(optional(messageId()), "The id of the message that the anchor stands for."),
    found_anchor: described(optional(boolean()), "Whether a message with the anchor's id is in the answer."),
    found_oldest: optional(boolean()),
    found_newest: optional(boolean()),
    history_limited: described(boolean(), "Whether the organization's plan hides older messages; it never does here."),
    messages: described(array(listedMessage), "The messages, oldest first."),
  },
  async handle({ realm, user, params }) {
    const terms = readNarrow(params.narrow);
    const view = {
      clientGravatar: params.client_gravatar,
      applyMarkdown: params.apply_markdown,
      allowEmptyTopicName: params.allow_empty_topic_name,
    };
    if (params.message_ids !== undefined) {
      if (namesRange(params)) throw badRequest("message_ids takes the place of an anchor and of the numbers around it");
      const messages = await fetchByIds(realm, user, terms, params.message_ids, view);
      return new PiecesReply([{ messages, history_limited: false }]);
    }
    const anchor = params.use_first_unread_anchor ? "first_unread" : readAnchor(params.anchor, params.anchor_date);
    if (params.num_before === undefined) throw errors.REQUEST_VARIABLE_MISSING({ var_name: "num_before" });
    if (params.num_after === undefined) throw errors.REQUEST_VARIABLE_MISSING({ var_name: "num_after" });
    const request = {
      anchor,
      includeAnchor: params.include_anchor,
      numBefore: params.num_before,
      numAfter: params.num_after,
    };
    return new PiecesReply([{ ...(await fetchAround(realm, user, terms, request, view)) }]);
  },
});

/** Whether the request has parameters of a range. They cannot be combined with a list of ids. */
function namesRange(params: {
  anchor: unknown;
  use_first_unread_anchor: boolean;
  include_anchor: boolean;
  num_before: number | undefined;
  num_after: number | undefined;
}): boolean {
  const given = [params.anchor, params.num_before, params.num_after].some((value) => value !== undefined);
  return given || params.use_first_unread_anchor || !params.include_anchor;
}

/** One message. https://zulip.com/api/get-message */
export const getMessage = route({
  doc: "https://zulip.com/api/get-message",
  summary: "Fetches one message.",
  auth: ["apiKey", "cookie", "anybody"],
  params: {
    message_id: pathInt<MessageId>(),
    apply_markdown: bool().default(true),
    allow_empty_topic_name: bool().default(false),
  },
  returns: {
    message: described(messageRecord, "The message."),
    raw_content: described(string(), "The text as it was written."),
  },
  async handle({ realm, user, params }) {
    const view = {
      clientGravatar: true,
      applyMarkdown: params.apply_markdown,
      allowEmptyTopicName: params.allow_empty_topic_name,
    };
    return new PiecesReply([{ ...(await fetchOne(realm, user, params.message_id, view)) }]);
  },
});

/** Which of some messages match a narrow. https://zulip.com/api/check-messages-match-narrow */
export const messagesMatchNarrow = route({
  doc: "https://zulip.com/api/check-messages-match-narrow",
  summary: "Says which of some messages a narrow finds.",
  auth: anyAccount,
  params: { msg_ids: messageIdsParam().describe("Ids of the messages in question."), narrow: narrowParam() },
  returns: { messages: described(record(string(), messageMatch), "The messages that match, by their ids.") },
  async handle({ realm, user, params }) {
    return { messages: await matchNarrow(realm, user, readNarrow(params.narrow), params.msg_ids) };
  },
});

/** Renders a text as a message would show it. https://zulip.com/api/render-message */
export const renderMessage = route({
  doc: "https://zulip.com/api/render-message",
  summary: "Renders the Markdown of a message.",
  auth: anyAccount,
  params: { content: cutText().describe("The text, as HTML or as it was written.") },
  returns: { rendered: described(string(), "The text as HTML.") },
  async handle({ realm, user, params }) {
    const content = truncate(params.content.trimEnd(), limits.message, truncationNotice);
    return { rendered: await previewMessage(realm, user, content) };
  },
});
