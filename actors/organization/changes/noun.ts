import { defineNoun } from "../../realm/noun.ts";
import { addDomain, removeDomain, updateDomain } from "./domains.ts";
import { addEmoji, deactivateEmoji } from "./emoji.ts";
import { addLinkifier, orderLinkifiers, removeLinkifier, updateLinkifier } from "./linkifiers.ts";
import { setRealmPicture } from "./pictures.ts";
import { addPlayground, removePlayground } from "./playgrounds.ts";
import {
  addProfileField,
  orderProfileFields,
  removeProfileField,
  updateOwnProfile,
  updateProfileField,
} from "./profile-fields.ts";
import { retryOutgoing } from "./retry-outgoing.ts";
import { deactivateRealm, moveRealm, reactivateRealm, updateRealm } from "./update.ts";

export const organizationNoun = defineNoun({
  commands: {
    setRealmPicture,
    addProfileField,
    updateProfileField,
    removeProfileField,
    orderProfileFields,
    updateOwnProfile,
    addEmoji,
    deactivateEmoji,
    updateRealm,
    deactivateRealm,
    reactivateRealm,
    moveRealm,
    addLinkifier,
    updateLinkifier,
    removeLinkifier,
    orderLinkifiers,
    addPlayground,
    removePlayground,
    addDomain,
    updateDomain,
    removeDomain,
    retryOutgoing,
  },
});
