/** Whatever people make others say: texts of their own. */
import { homeassistant } from "./homeassistant.ts";
import { ifttt } from "./ifttt.ts";
import { jotform } from "./jotform.ts";
import { json } from "./json.ts";
import { slackIncoming } from "./slack-incoming.ts";
import { wordpress } from "./wordpress.ts";
import { zapier } from "./zapier.ts";

export const messageIntegrations = [homeassistant, ifttt, jotform, json, slackIncoming, wordpress, zapier] as const;
