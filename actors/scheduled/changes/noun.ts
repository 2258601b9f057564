import { defineNoun } from "../../realm/noun.ts";
import { deliverScheduledJob } from "./deliver-job.ts";
import { deleteScheduledMessage, deliverScheduled, scheduleMessage, updateScheduledMessage } from "./messages.ts";
import { createReminder, deleteReminder } from "./reminders.ts";

export const scheduledNoun = defineNoun({
  commands: {
    scheduleMessage,
    updateScheduledMessage,
    deleteScheduledMessage,
    deliverScheduled,
    createReminder,
    deleteReminder,
  },
  jobs: [deliverScheduledJob],
});
