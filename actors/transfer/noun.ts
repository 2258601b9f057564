import { defineNoun } from "../realm/noun.ts";
import { exportJob } from "./export-job.ts";
import { beginExport, deleteExport, endExport, requestExport } from "./exports.ts";

export const transferNoun = defineNoun({
  commands: {
    requestExport,
    beginExport,
    endExport,
    deleteExport,
  },
  jobs: [exportJob],
});
