import { defineNoun } from "../../realm/noun.ts";
import { createBot, deactivateBot, updateBot } from "./bots.ts";
import { beginServiceCall, endServiceCall } from "./service-calls.ts";
import { callServicesJob } from "./service-job.ts";
import { removeBotStorage, updateBotStorage } from "./storage.ts";

export const botsNoun = defineNoun({
  commands: {
    createBot,
    updateBot,
    beginServiceCall,
    endServiceCall,
    deactivateBot,
    updateBotStorage,
    removeBotStorage,
  },
  jobs: [callServicesJob],
});
