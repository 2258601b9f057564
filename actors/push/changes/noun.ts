import { defineNoun } from "../../realm/noun.ts";
import { registerPhonesJob } from "../service/register-job.ts";
import { pushStatusJob } from "../service/report-job.ts";
import { setPushStatus } from "../service/status.ts";
import { addDevice, addPushToken, dropPushTokens, removeDevice, removePushToken, updateDevice } from "./devices.ts";
import { dropDeviceTokens, settleDevice } from "./service-devices.ts";

export const pushNoun = defineNoun({
  commands: {
    addDevice,
    removeDevice,
    updateDevice,
    addPushToken,
    removePushToken,
    dropPushTokens,
    settleDevice,
    dropDeviceTokens,
    setPushStatus,
  },
  jobs: [registerPhonesJob, pushStatusJob],
});
