import { defineNoun } from "../realm/noun.ts";
import { historyMemory } from "./history.ts";

export const historyNoun = defineNoun({
  memories: [historyMemory],
});
