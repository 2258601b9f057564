import { defineNoun } from "../../realm/noun.ts";
import { createUser, permitUser } from "./accounts.ts";
import { regenerateApiKey } from "./api-keys.ts";
import { setAvatar } from "./avatars.ts";
import { addFurtherKey, endFurtherKey } from "./further-keys.ts";
import { decideLogInPolicy, endOverSessions, endOverSessionsJob } from "./log-in-policy.ts";
import { testWelcomeText } from "./newcomers.ts";
import { confirmAddress, resetPassword, sendPasswordLink } from "./one-time-links.ts";
import { operateAccount } from "./operator.ts";
import { addPasskey, blockPasskey, endPasskey, renamePasskey } from "./passkeys.ts";
import {
  beginTotp,
  confirmTotp,
  endSecondFactor,
  endTotp,
  renewRecoveryCodes,
  requireSecondFactor,
} from "./second-factors.ts";
import { endOtherSessions, endSession } from "./sessions.ts";
import { endSessionsOfUser } from "./sessions-of-others.ts";
import { updateSettings, updateUserDefaults } from "./settings.ts";
import { updateSettingsOf } from "./settings-for-others.ts";
import { deactivateUser, noteLogin, reactivateUser } from "./states.ts";
import { updateUser } from "./update.ts";

export const usersNoun = defineNoun({
  commands: {
    createUser,
    noteLogin,
    testWelcomeText,
    permitUser,
    updateUser,
    deactivateUser,
    reactivateUser,
    updateSettings,
    updateSettingsOf,
    updateUserDefaults,
    regenerateApiKey,
    operateAccount,
    addFurtherKey,
    endFurtherKey,
    endSession,
    endOtherSessions,
    endSessionsOfUser,
    decideLogInPolicy,
    endOverSessions,
    beginTotp,
    confirmTotp,
    renewRecoveryCodes,
    endSecondFactor,
    endTotp,
    addPasskey,
    renamePasskey,
    endPasskey,
    blockPasskey,
    requireSecondFactor,
    sendPasswordLink,
    resetPassword,
    confirmAddress,
    setAvatar,
  },
  jobs: [endOverSessionsJob],
});
