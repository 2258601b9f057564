import { defineNoun } from "../realm/noun.ts";
import { keepDirectoryAvatar } from "./avatar.ts";
import { keepDirectoryGroup, keepDirectoryProfile } from "./keep.ts";
import { endDirectoryAccount, missingPeopleJob, noteMissingPeople } from "./missing.ts";

export const ldapNoun = defineNoun({
  commands: { keepDirectoryProfile, keepDirectoryGroup, keepDirectoryAvatar, noteMissingPeople, endDirectoryAccount },
  jobs: [missingPeopleJob],
});
