/** Where customers and readers are: their tickets, talks and payments. */
import { discourse } from "./discourse.ts";
import { freshdesk } from "./freshdesk.ts";
import { front } from "./front.ts";
import { intercom } from "./intercom.ts";
import { stripe } from "./stripe.ts";
import { zendesk } from "./zendesk.ts";

export const supportIntegrations = [discourse, freshdesk, front, intercom, stripe, zendesk] as const;
