import { defineNoun } from "../../realm/noun.ts";
import { setSubscriptionProperties } from "./settings.ts";
import { subscribe, unsubscribe, updateSubscriptions } from "./subscribe.ts";

export const subscriptionsNoun = defineNoun({
  commands: {
    subscribe,
    unsubscribe,
    updateSubscriptions,
    setSubscriptionProperties,
  },
});
