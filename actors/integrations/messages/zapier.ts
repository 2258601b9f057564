/** https://zulip.com/integrations/zapier */
import type { Integration } from "../notice/integration.ts";
import { ownText } from "./own-text.ts";

export const zapier: Integration = {
  name: "zapier",
  displayName: "Zapier",
  hasOwnTexts: true,
  takesForms: true,
  read({ payload }) {
    // It tries its key out before it is used, and shows whose it is.
    if (payload.is("type", "auth")) return "whose key";
    return { topic: payload.raw("topic", "subject") || "Zapier", content: ownText(payload, "content") };
  },
};
