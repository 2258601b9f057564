import { defineNoun } from "../realm/noun.ts";
import { digestJob } from "./digest-job.ts";
import { missedMessagesJob } from "./missed-job.ts";
import { removePushesJob, sendPushesJob } from "./push-job.ts";
import { readNewsOfRealm } from "./read-news.ts";

export const notificationsNoun = defineNoun({
  jobs: [missedMessagesJob, removePushesJob, sendPushesJob, digestJob],
  memories: [readNewsOfRealm],
});
