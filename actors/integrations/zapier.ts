/** https://zulip.com/integrations/zapier */
import type { Integration } from "./integration.ts";

export const zapier: Integration = {
  name: "zapier",
  displayName: "Zapier",
  read({ payload }) {
    // It tries its key out before it is used.
    if (payload.is("type", "auth")) return "ignored";
    const content = payload.text("content");
    return content === "" ? "empty" : { topic: payload.text("topic", payload.text("subject", "Zapier")), content };
  },
};
