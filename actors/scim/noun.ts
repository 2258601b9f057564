import { defineNoun } from "../realm/noun.ts";
import { changeScimGroup, createScimGroup, removeScimGroup } from "./groups.ts";
import { addScimToken, endScimToken } from "./tokens.ts";
import { changeScimUser, createScimUser, removeScimUser } from "./users.ts";

export const scimNoun = defineNoun({
  commands: {
    addScimToken,
    endScimToken,
    createScimUser,
    changeScimUser,
    removeScimUser,
    createScimGroup,
    changeScimGroup,
    removeScimGroup,
  },
});
