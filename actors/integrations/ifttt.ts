/** https://zulip.com/integrations/ifttt */
import type { Integration } from "./integration.ts";

export const ifttt: Integration = {
  name: "ifttt",
  displayName: "IFTTT",
  read({ payload }) {
    const content = payload.text("content");
    return content === "" ? "empty" : { topic: payload.text("topic", "IFTTT"), content };
  },
};
