import { defineNoun } from "../realm/noun.ts";
import { dropShortenedAudit, shortenAuditLog } from "./audit-log.ts";
import { decideRetention } from "./decide.ts";
import { expireEarlierTexts } from "./earlier-texts.ts";
import { expireFiles } from "./files.ts";
import { retentionJob } from "./job.ts";
import { expireDirectMessages, expireMessages } from "./messages.ts";

export const retentionNoun = defineNoun({
  commands: {
    decideRetention,
    expireMessages,
    expireDirectMessages,
    expireEarlierTexts,
    expireFiles,
    shortenAuditLog,
    dropShortenedAudit,
  },
  jobs: [retentionJob],
});
