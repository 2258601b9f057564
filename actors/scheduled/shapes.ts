/** Scheduled messages and reminders as their owners see them. https://zulip.com/api/get-scheduled-messages */
import { array, boolean, enums, type Infer, integer, literal, object, optional, string } from "superstruct";
import { either } from "../either.ts";
import { channelId, messageId, scheduledId, userId } from "../id-shapes.ts";

const toBeSent = {
  /** A channel's id, or ids of users. */
  to: either(channelId(), array(userId())),
  content: string(),
  rendered_content: string(),
  /** UNIX seconds. */
  scheduled_delivery_timestamp: integer(),
  failed: boolean(),
};

export const scheduledMessage = object({
  scheduled_message_id: scheduledId(),
  type: enums(["stream", "private"]),
  topic: optional(string()),
  ...toBeSent,
});
export type ScheduledMessageRecord = Infer<typeof scheduledMessage>;

/** https://zulip.com/api/get-reminders */
export const reminder = object({
  reminder_id: scheduledId(),
  type: literal("private"),
  ...toBeSent,
  /** The person themselves. */
  to: array(userId()),
  reminder_target_message_id: messageId(),
});
export type ReminderRecord = Infer<typeof reminder>;
