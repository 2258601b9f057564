import { defineNoun } from "../realm/noun.ts";
import { eventQueues } from "./memory.ts";

export const eventQueueNoun = defineNoun({
  memories: [eventQueues],
});
