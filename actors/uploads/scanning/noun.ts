import { defineNoun } from "../../realm/noun.ts";
import { releaseScanned, removeInfected, showScanned } from "./commands.ts";
import { scanJob } from "./job.ts";

export const scanningNoun = defineNoun({
  commands: { releaseScanned, showScanned, removeInfected },
  jobs: [scanJob],
});
