import { defineNoun } from "../realm/noun.ts";
import { addAttachment, removeAttachment } from "./attachments.ts";
import { deletedFilesJob } from "./deleted-files.ts";
import { expiredUploadsJob } from "./unfinished-uploads.ts";

export const uploadsNoun = defineNoun({
  commands: {
    addAttachment,
    removeAttachment,
  },
  jobs: [expiredUploadsJob, deletedFilesJob],
});
