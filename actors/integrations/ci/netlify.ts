/** https://docs.netlify.com/deploy/deploy-notifications/ */
import { byEvent, headerEvent, type Teller } from "../notice/integration.ts";
import { code, link } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";

const site = (payload: Payload): string =>
  `The deploy of ${link(payload.line("name"), payload.text("deploy_ssl_url", "ssl_url", "url"))} on ${code(payload.line("branch"))}`;

const isNow: Teller = (payload) => {
  const title = payload.line("title");
  return `${site(payload)} is now ${payload.line("state") || "changed"}${title === "" ? "." : `: ${title}`}`;
};

export const netlify = byEvent({
  name: "netlify",
  displayName: "Netlify",
  eventHeaders: ["x-netlify-event"],
  event: headerEvent("X-Netlify-Event"),
  topic: (payload) => payload.need("branch"),
  tells: {
    deploy_failed: (payload) => `${site(payload)} failed: ${payload.line("error_message") || "it did not say why"}`,
    deploy_locked: (payload) => `${site(payload)} is now locked.`,
    deploy_unlocked: (payload) => `${site(payload)} is now unlocked.`,
    deploy_building: isNow,
    deploy_created: isNow,
    deploy_deleted: (payload) => `${site(payload)} was deleted.`,
  },
});
