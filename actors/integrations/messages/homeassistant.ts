/** https://www.home-assistant.io/integrations/notify/ */
import type { Integration } from "../notice/integration.ts";
import { ownText } from "./own-text.ts";

export const homeassistant: Integration = {
  name: "homeassistant",
  displayName: "Home Assistant",
  hasOwnTexts: true,
  takesForms: true,
  read: ({ payload }) => ({
    topic: payload.raw("topic") || "homeassistant",
    content: ownText(payload, "message"),
  }),
};
