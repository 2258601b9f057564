import { defineNoun } from "../realm/noun.ts";
import { addAttachment, removeAttachment } from "./attachments.ts";

export const uploadsNoun = defineNoun({
  commands: {
    addAttachment,
    removeAttachment,
  },
});
