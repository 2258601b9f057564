import { defineNoun } from "../realm/noun.ts";
import { putIdentityProvider, removeIdentityProvider } from "./change-providers.ts";
import { joinFirstChannels } from "./first-channels.ts";
import {
  comeByIdentity,
  endIdentity,
  endProviderSessions,
  linkByAdministrator,
  linkByMail,
  linkByPassword,
  sendIdentityLink,
} from "./identities.ts";

export const identitiesNoun = defineNoun({
  commands: {
    comeByIdentity,
    linkByPassword,
    sendIdentityLink,
    linkByMail,
    linkByAdministrator,
    endIdentity,
    endProviderSessions,
    joinFirstChannels,
    putIdentityProvider,
    removeIdentityProvider,
  },
});
