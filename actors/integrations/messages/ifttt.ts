/** https://zulip.com/integrations/ifttt */
import type { Integration } from "../notice/integration.ts";
import { ownText } from "./own-text.ts";

export const ifttt: Integration = {
  name: "ifttt",
  displayName: "IFTTT",
  hasOwnTexts: true,
  takesForms: true,
  read: ({ payload }) => ({
    topic: payload.raw("topic", "subject") || "IFTTT",
    content: ownText(payload, "content"),
  }),
};
