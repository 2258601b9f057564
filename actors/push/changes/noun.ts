import { defineNoun } from "../../realm/noun.ts";
import { registerPhonesJob } from "../service/register-job.ts";
import { addDevice, addPushToken, dropPushTokens, removeDevice, removePushToken, updateDevice } from "./devices.ts";

export const pushNoun = defineNoun({
  commands: {
    addDevice,
    removeDevice,
    updateDevice,
    addPushToken,
    removePushToken,
    dropPushTokens,
  },
  jobs: [registerPhonesJob],
});
