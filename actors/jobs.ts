/**
 * What a realm does by the clock, without a request: one line per job. `JobRunner` starts them, only on the node that
 * writes the realm.
 */
import { callServicesJob } from "./bots/changes/service-job.ts";
import { channelActivityJob } from "./channels/changes/activity-job.ts";
import { expireInvitationsJob } from "./invitations/expire-job.ts";
import { retentionJob } from "./messages/changes/retention-job.ts";
import { missedMessagesJob } from "./notifications/missed-job.ts";
import { removePushesJob, sendPushesJob } from "./notifications/push-job.ts";
import type { Job } from "./realm/job.ts";
import { restartJob } from "./realm/own-commands.ts";
import { deliverScheduledJob } from "./scheduled/changes/deliver-job.ts";

import { exportJob } from "./transfer/export-job.ts";

export const jobs: readonly Job[] = [
  restartJob,
  deliverScheduledJob,
  callServicesJob,
  retentionJob,
  channelActivityJob,
  expireInvitationsJob,
  missedMessagesJob,
  exportJob,
  sendPushesJob,
  removePushesJob,
];
