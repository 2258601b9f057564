/** https://support.atlassian.com/statuspage/docs/enable-webhook-notifications/ */
import { type Integration, unsupported } from "../notice/integration.ts";
import { link, plain, quote, spoken } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";

/** What it is about, and how the whole page is. */
const topicOf = (payload: Payload, name: string): string => `${name}: ${payload.raw("page.status_description")}`;

export const statuspage: Integration = {
  name: "statuspage",
  displayName: "Statuspage",
  events: ["incident", "component"],
  read({ payload }) {
    if (payload.has("incident")) {
      const [name, status] = [payload.need("incident.name"), spoken(payload.line("incident.status"))];
      const impact = payload.line("incident.impact") || "none";
      const says = payload.text("incident.incident_updates.0.body");
      const head = `**${link(name, payload.text("incident.shortlink"))}**: ${status} (impact: ${impact})`;
      return { event: "incident", topic: topicOf(payload, name), content: `${head}${quote(says)}` };
    }
    if (!payload.has("component")) throw unsupported("Statuspage", "unknown-event");
    const name = payload.need("component.name");
    const [before, now] = ["old_status", "new_status"].map((field) =>
      spoken(payload.line(`component_update.${field}`)),
    );
    return {
      event: "component",
      topic: topicOf(payload, name),
      content: `**${plain(name)}** went from **${before}** to **${now}**.`,
    };
  },
};
