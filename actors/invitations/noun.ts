import { defineNoun } from "../realm/noun.ts";
import { expireInvitationsJob } from "./expire-job.ts";
import {
  createMultiuseInvitation,
  expireInvitations,
  inviteAddresses,
  resendInvitation,
  revokeInvitation,
} from "./invitations.ts";
import { joinByInvitation } from "./join.ts";

export const invitationsNoun = defineNoun({
  commands: {
    createMultiuseInvitation,
    inviteAddresses,
    revokeInvitation,
    resendInvitation,
    expireInvitations,
    joinByInvitation,
  },
  jobs: [expireInvitationsJob],
});
