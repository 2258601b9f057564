import { defineNoun } from "../../realm/noun.ts";
import { presenceMemory } from "../memory.ts";
import { updateStatus } from "./status.ts";

export const presenceNoun = defineNoun({
  commands: {
    updateStatus,
  },
  memories: [presenceMemory],
});
