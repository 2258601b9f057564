/** https://docs.sentry.io/organization/integrations/integration-platform/webhooks/ */
import type { Integration } from "./integration.ts";
import { link, quote } from "./payload.ts";

export const sentry: Integration = {
  name: "sentry",
  displayName: "Sentry",
  events: ["issue", "event_alert", "error"],
  read({ payload, event }) {
    if (payload.has("data.issue")) {
      const issue = payload.at("data.issue");
      const by = payload.text("actor.name");
      const content = `${link(issue.text("title", "Issue"), issue.text("web_url", issue.text("permalink")))} was ${payload.text("action", "changed")}${by === "" ? "" : ` by ${by}`}.`;
      return { event: "issue", topic: issue.text("project.name", issue.text("title", "Sentry")), content };
    }
    const place = ["data.event", "data.error", "event"].find((path) => payload.has(path));
    if (place === undefined) return event === "installation" ? "ignored" : "unknown";
    const one = payload.at(place);
    const title = one.text("title", payload.text("message", "Error"));
    const url = one.text("web_url", payload.text("url"));
    const level = one.text("level", payload.text("level", "error"));
    const culprit = one.text("culprit", payload.text("culprit"));
    return {
      event: place === "data.error" ? "error" : "event_alert",
      topic: payload.text("project_name", one.text("project_name", title)),
      content: `**${link(title, url)}** (${level})${quote(culprit)}`,
    };
  },
};
