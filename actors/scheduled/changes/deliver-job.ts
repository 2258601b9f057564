import { findDue, findNextDue, findRealmsWithDue } from "../../../storage/messages/scheduled.ts";
import type { Job } from "../../realm/job.ts";

/** Messages of one run. The rest is sent a second later. */
const deliveriesAtOnce = 50;

export const deliverScheduledJob: Job = {
  name: "deliver scheduled messages",
  everySecs: 1,
  async run(realm, now) {
    for (const id of await findDue(realm.database.sql, realm.id, now, deliveriesAtOnce)) {
      await realm.execute("deliverScheduled", { id });
    }
  },
  findWaiting: findRealmsWithDue,
  onlyWaiting: true,
  next: { at: findNextDue, changedBy: ["scheduled_messages", "reminders"] },
};
