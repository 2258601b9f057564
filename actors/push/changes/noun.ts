import { defineNoun } from "../../realm/noun.ts";
import { addDevice, addPushToken, removeDevice, removePushToken, updateDevice } from "./devices.ts";

export const pushNoun = defineNoun({
  commands: {
    addDevice,
    removeDevice,
    updateDevice,
    addPushToken,
    removePushToken,
  },
});
