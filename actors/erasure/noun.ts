import { defineNoun } from "../realm/noun.ts";
import { beginErasure, endErasure } from "./begin.ts";
import { eraseFiles, eraseReactions, eraseRows, eraseVotes } from "./belongings.ts";
import { erasureJob } from "./job.ts";
import { eraseMessages, renameMentions } from "./messages.ts";
import { deleteWritten } from "./written.ts";

export const erasureNoun = defineNoun({
  commands: {
    beginErasure,
    endErasure,
    eraseMessages,
    renameMentions,
    eraseReactions,
    eraseVotes,
    eraseFiles,
    eraseRows,
    deleteWritten,
  },
  jobs: [erasureJob],
});
