/** Changes of sent messages: edits, moves, deletion, reactions, submessages, reports. */

import { array, boolean } from "superstruct";
import { attachment } from "../../../actors/events/messages.ts";
import { reactionTypes } from "../../../actors/messages/changes/reactions.ts";
import { reportMessageTypes } from "../../../actors/messages/changes/report.ts";
import { limits } from "../../../actors/realm/state/settings.ts";
import { described } from "../../../actors/shape.ts";
import type { ChannelId, MessageId } from "../../../storage/ids.ts";
import { bool, cutText, int, oneOf, pathInt, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";

/** Edits or moves a message. https://zulip.com/api/update-message */
export const updateMessage = route({
  doc: "https://zulip.com/api/update-message",
  summary: "Changes a message's content, topic or channel.",
  auth: anyAccount,
  isUnaudited: true,
  params: {
    message_id: pathInt<MessageId>(),
    content: cutText().optional().describe("The text, as HTML or as it was written."),
    topic: cutText()
      .alias("subject")
      .optional()
      .describe("The topic, of channel messages only. More than 60 characters are cut."),
    stream_id: int<ChannelId>().optional().describe("The channel to move it to."),
    propagate_mode: oneOf("change_one", "change_later", "change_all")
      .default("change_one")
      .describe("Which messages of the topic move along: this one, also later ones, or all."),
    send_notification_to_old_thread: bool()
      .default(false)
      .describe("Whether the old topic is told that messages were moved."),
    send_notification_to_new_thread: bool()
      .default(true)
      .describe("Whether the new topic is told that messages were moved."),
    prev_content_sha256: text()
      .optional()
      .describe("SHA-256 of the text that was edited, in hexadecimal: the edit fails if it has changed since."),
  },
  returns: { detached_uploads: described(array(attachment), "Files of the caller that no message links to any more.") },
  async handle({ realm, user, params }) {
    return {
      ...(await realm.execute("updateMessage", {
        userId: user.id,
        messageId: params.message_id,
        content: params.content,
        topic: params.topic,
        channelId: params.stream_id,
        propagateMode: params.propagate_mode,
        notifyOldThread: params.send_notification_to_old_thread,
        notifyNewThread: params.send_notification_to_new_thread,
        prevContentSha256: params.prev_content_sha256,
      })),
    };
  },
});

/** Deletes a message for good. https://zulip.com/api/delete-message */
export const deleteMessage = route({
  doc: "https://zulip.com/api/delete-message",
  summary: "Deletes a message permanently.",
  auth: anyAccount,
  params: { message_id: pathInt<MessageId>() },
  returns: {},
  async handle({ realm, user, params }) {
    await realm.execute("deleteMessage", { userId: user.id, messageId: params.message_id });
    return {};
  },
});

/**
 * Milliseconds of deleting a topic. Then the answer says that the client is to ask again. Source:
 * zulip.com/api/delete-topic.
 */
const deleteTopicMs = 50_000;

/** Deletes a topic's messages. https://zulip.com/api/delete-topic */
export const deleteTopic = route({
  doc: "https://zulip.com/api/delete-topic",
  summary: "Deletes all messages of a topic, newest first; `complete` says whether none is left.",
  auth: anyAccount,
  params: { stream_id: pathInt<ChannelId>(), topic_name: text() },
  returns: { complete: boolean() },
  async handle({ realm, user, params }) {
    const deadline = performance.now() + deleteTopicMs;
    const args = { userId: user.id, channelId: params.stream_id, topic: params.topic_name };
    let batch = await realm.execute("deleteTopicMessages", args);
    while (!batch.complete && performance.now() < deadline) {
      batch = await realm.execute("deleteTopicMessages", { ...args, toId: batch.toId });
    }
    return { complete: batch.complete };
  },
});

const reactionParams = {
  message_id: pathInt<MessageId>(),
  emoji_name: text().optional(),
  emoji_code: text().optional(),
  reaction_type: oneOf(...reactionTypes).optional(),
};

const reactionOf = (params: {
  emoji_name: string | undefined;
  emoji_code: string | undefined;
  reaction_type: (typeof reactionTypes)[number] | undefined;
}) => ({
  emojiName: params.emoji_name,
  emojiCode: params.emoji_code,
  reactionType: params.reaction_type,
});

/** Adds the caller's emoji reaction to a message. https://zulip.com/api/add-reaction */
export const addReaction = route({
  doc: "https://zulip.com/api/add-reaction",
  summary: "Adds an emoji reaction to a message.",
  auth: anyAccount,
  isUnaudited: true,
  params: { ...reactionParams, emoji_name: text() },
  returns: {},
  async handle({ realm, user, params }) {
    await realm.execute("addReaction", { userId: user.id, messageId: params.message_id, ...reactionOf(params) });
    return {};
  },
});

/** Removes the caller's emoji reaction. https://zulip.com/api/remove-reaction */
export const removeReaction = route({
  doc: "https://zulip.com/api/remove-reaction",
  summary: "Removes an emoji reaction from a message.",
  auth: anyAccount,
  isUnaudited: true,
  params: reactionParams,
  returns: {},
  async handle({ realm, user, params }) {
    await realm.execute("removeReaction", { userId: user.id, messageId: params.message_id, ...reactionOf(params) });
    return {};
  },
});

/** Adds a submessage to a widget: a vote, an option, a task. https://zulip.com/api/send-submessage */
export const addSubmessage = route({
  doc: "https://zulip.readthedocs.io/en/latest/subsystems/widgets.html",
  summary: "Adds a part to a message's widget.",
  auth: anyAccount,
  params: {
    message_id: int<MessageId>(),
    msg_type: text(),
    content: text().describe("The part, as JSON that the widget knows."),
  },
  returns: {},
  async handle({ realm, user, params }) {
    await realm.execute("addSubmessage", {
      userId: user.id,
      messageId: params.message_id,
      msgType: params.msg_type,
      content: params.content,
    });
    return {};
  },
});

/** Reports a message to the moderators. https://zulip.com/api/report-message */
export const reportMessage = route({
  doc: "https://zulip.com/api/report-message",
  summary: "Reports a message to the organization's moderation request channel.",
  auth: anyAccount,
  params: {
    message_id: pathInt<MessageId>(),
    report_type: oneOf(...reportMessageTypes.map(({ key }) => key)).describe("What is wrong with it."),
    description: text()
      .declares({ maxLength: limits.reportDescription })
      .default("")
      .describe("What is wrong with it, in words. It is required for `other`."),
  },
  returns: {},
  async handle({ realm, user, params }) {
    await realm.execute("reportMessage", {
      userId: user.id,
      messageId: params.message_id,
      type: params.report_type,
      description: params.description,
    });
    return {};
  },
});
