/** Scheduled messages and reminders as their owners see them. https://zulip.com/api/get-scheduled-messages */
import { array, boolean, enums, type Infer, integer, literal, object, optional, string } from "superstruct";
import { either } from "../either.ts";
import { channelId, messageId, scheduledId, userId } from "../id-shapes.ts";
import { described } from "../shape.ts";

const toBeSent = {
  /** A channel's id, or ids of users. */
  to: described(either(channelId(), array(userId())), "A channel's id, or ids of people."),
  content: described(string(), "The text, in Markdown."),
  rendered_content: described(string(), "The text as HTML."),
  /** UNIX seconds. */
  scheduled_delivery_timestamp: integer(),
  failed: described(boolean(), "Whether it could not be sent at its time."),
};

export const scheduledMessage = object({
  scheduled_message_id: scheduledId(),
  type: described(enums(["stream", "private"]), "`channel` or `direct`; `stream` and `private` are older names."),
  topic: described(optional(string()), "The topic of a channel."),
  ...toBeSent,
});
export type ScheduledMessageRecord = Infer<typeof scheduledMessage>;

/** https://zulip.com/api/get-reminders */
export const reminder = object({
  reminder_id: scheduledId(),
  type: described(literal("private"), "Always `private`: a reminder is a direct message to oneself."),
  ...toBeSent,
  /** The person themselves. */
  to: described(array(userId()), "The caller's own id."),
  reminder_target_message_id: described(messageId(), "The message of which it reminds."),
});
export type ReminderRecord = Infer<typeof reminder>;
