import { defineNoun } from "../../realm/noun.ts";
import { knownTopics } from "../known-topics.ts";
import { setTopicPolicy } from "./visibility-policies.ts";

export const topicsNoun = defineNoun({
  commands: {
    setTopicPolicy,
  },
  memories: [knownTopics],
});
