/** Scheduled messages and reminders. */

import { array, integer, size } from "superstruct";
import { either } from "../../../actors/either.ts";
import { badRequest } from "../../../actors/errors.ts";
import { scheduledId } from "../../../actors/id-shapes.ts";
import { findScheduledMessages } from "../../../actors/scheduled/changes/messages.ts";
import { findReminders } from "../../../actors/scheduled/changes/reminders.ts";
import { reminder, scheduledMessage } from "../../../actors/scheduled/shapes.ts";
import { firstOf } from "../../../storage/failures.ts";
import type { ChannelId, MessageId, ScheduledId } from "../../../storage/ids.ts";
import { bool, cutText, int, json, oneOf, pathInt, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";
import { isInteractive } from "../messages/send.ts";

/** The largest number of people in a group conversation. */
const maxRecipients = 1000;
/** A channel or people, by `type`. */
const to = () => json(either(integer(), size(array(integer()), 1, maxRecipients)));
const type = () => oneOf("stream", "channel", "private", "direct");
const isChannelType = (word: string): boolean => word === "stream" || word === "channel";

function channelOf(value: number | number[]): ChannelId {
  if (typeof value === "number") return value;
  if (value.length !== 1) throw badRequest("Expected exactly one channel");
  return firstOf(value);
}

/** The caller's scheduled messages. https://zulip.com/api/get-scheduled-messages */
export const getScheduledMessages = route({
  doc: "https://zulip.com/api/get-scheduled-messages",
  summary: "Returns the caller's scheduled messages, soonest first.",
  auth: anyAccount,
  params: {},
  returns: { scheduled_messages: array(scheduledMessage) },
  async handle({ realm, user }) {
    return { scheduled_messages: await findScheduledMessages(realm, user) };
  },
});

/** Schedules a message. https://zulip.com/api/create-scheduled-message */
export const createScheduledMessage = route({
  doc: "https://zulip.com/api/create-scheduled-message",
  summary: "Schedules a message.",
  auth: anyAccount,
  params: {
    type: type().describe("`channel` or `direct`; `stream` and `private` are older names."),
    to: to().describe("A channel's id, or ids of people."),
    content: cutText().describe("The text, in Markdown."),
    topic: cutText().optional().describe("The topic of a channel."),
    scheduled_delivery_timestamp: int(),
    read_by_sender: bool().optional(),
  },
  returns: { scheduled_message_id: scheduledId() },
  handle({ realm, user, params, client }) {
    return realm.execute("scheduleMessage", {
      userId: user.id,
      to: isChannelType(params.type)
        ? { channelId: channelOf(params.to), topic: params.topic ?? "" }
        : { userIds: typeof params.to === "number" ? [params.to] : params.to },
      content: params.content,
      timestamp: params.scheduled_delivery_timestamp,
      readBySender: params.read_by_sender ?? isInteractive(client),
      client,
    });
  },
});

/** Changes a scheduled message. https://zulip.com/api/update-scheduled-message */
export const updateScheduledMessage = route({
  doc: "https://zulip.com/api/update-scheduled-message",
  summary: "Changes a scheduled message.",
  auth: anyAccount,
  params: {
    scheduled_message_id: pathInt<ScheduledId>(),
    type: type().optional().describe("`channel` or `direct`; `stream` and `private` are older names."),
    to: to().optional().describe("A channel's id, or ids of people."),
    content: cutText().optional().describe("The text, in Markdown."),
    topic: cutText().optional().describe("The topic of a channel."),
    scheduled_delivery_timestamp: int().optional(),
  },
  returns: {},
  async handle({ realm, user, params }) {
    const { scheduled_message_id: id, scheduled_delivery_timestamp: timestamp } = params;
    const changes = [params.type, params.to, params.content, params.topic, timestamp];
    if (changes.every((change) => change === undefined)) throw badRequest("Nothing to change");
    const kind = params.type && (isChannelType(params.type) ? "stream" : "private");
    await realm.execute("updateScheduledMessage", {
      userId: user.id,
      id,
      type: kind,
      to: Array.isArray(params.to) && kind === "stream" ? channelOf(params.to) : params.to,
      content: params.content,
      topic: params.topic,
      timestamp,
    });
    return {};
  },
});

/** Deletes a scheduled message. https://zulip.com/api/delete-scheduled-message */
export const deleteScheduledMessage = route({
  doc: "https://zulip.com/api/delete-scheduled-message",
  summary: "Deletes a scheduled message.",
  auth: anyAccount,
  params: { scheduled_message_id: pathInt<ScheduledId>() },
  returns: {},
  async handle({ realm, user, params }) {
    await realm.execute("deleteScheduledMessage", { userId: user.id, id: params.scheduled_message_id });
    return {};
  },
});

/** The caller's reminders. https://zulip.com/api/get-reminders */
export const getReminders = route({
  doc: "https://zulip.com/api/get-reminders",
  summary: "Returns the caller's reminders, soonest first.",
  auth: anyAccount,
  params: {},
  returns: { reminders: array(reminder) },
  async handle({ realm, user }) {
    return { reminders: await findReminders(realm, user) };
  },
});

/** Creates a reminder of a message. https://zulip.com/api/create-message-reminder */
export const createReminder = route({
  doc: "https://zulip.com/api/create-message-reminder",
  summary: "Has the caller reminded of a message at a time.",
  auth: anyAccount,
  params: {
    message_id: int<MessageId>(),
    scheduled_delivery_timestamp: int(),
    note: text().default("").describe("A note to oneself, in Markdown."),
  },
  returns: { reminder_id: scheduledId() },
  handle({ realm, user, params }) {
    return realm.execute("createReminder", {
      userId: user.id,
      messageId: params.message_id,
      timestamp: params.scheduled_delivery_timestamp,
      note: params.note,
    });
  },
});

/** Deletes a reminder. https://zulip.com/api/delete-reminder */
export const deleteReminder = route({
  doc: "https://zulip.com/api/delete-reminder",
  summary: "Deletes a reminder.",
  auth: anyAccount,
  params: { reminder_id: pathInt<ScheduledId>() },
  returns: {},
  async handle({ realm, user, params }) {
    await realm.execute("deleteReminder", { userId: user.id, id: params.reminder_id });
    return {};
  },
});
