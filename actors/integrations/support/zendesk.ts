/** https://support.zendesk.com/hc/en-us/articles/4408839108378-Creating-webhooks-to-interact-with-third-party-systems */
import type { Integration } from "../notice/integration.ts";
import { malformed } from "../notice/payload.ts";

/** Its triggers send fields by name, in the address or a form; what they say is written in Zendesk. */
export const zendesk: Integration = {
  name: "zendesk",
  displayName: "Zendesk",
  hasOwnTexts: true,
  takesForms: true,
  read({ payload }) {
    const content = payload.text("message");
    if (content === "") throw malformed("message is missing");
    return { topic: `#${payload.need("ticket_id")}: ${payload.need("ticket_title")}`, content };
  },
};
