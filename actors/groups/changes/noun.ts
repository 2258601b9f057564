import { defineNoun } from "../../realm/noun.ts";
import { createGroup, deactivateGroup, updateGroup } from "./groups.ts";
import { updateGroupMembers } from "./members.ts";

export const groupsNoun = defineNoun({
  commands: {
    createGroup,
    updateGroup,
    deactivateGroup,
    updateGroupMembers,
  },
});
