/** https://support.atlassian.com/statuspage/docs/enable-webhook-notifications/ */
import type { Integration } from "./integration.ts";
import { quote } from "./payload.ts";

const spoken = (status: string): string => status.replaceAll("_", " ");

export const statuspage: Integration = {
  name: "statuspage",
  displayName: "Statuspage",
  events: ["incident", "component"],
  read({ payload }) {
    if (payload.has("incident")) {
      const [name, status] = [payload.text("incident.name", "Incident"), spoken(payload.text("incident.status"))];
      const impact = payload.text("incident.impact", "none");
      const says = payload.text("incident.incident_updates.0.body");
      return { event: "incident", topic: name, content: `**${name}**: ${status} (impact: ${impact})${quote(says)}` };
    }
    if (!payload.has("component_update")) return "unknown";
    const name = payload.text("component.name", "Component");
    const [before, now] = ["old_status", "new_status"].map((field) =>
      spoken(payload.text(`component_update.${field}`)),
    );
    return { event: "component", topic: `${name}: ${now}`, content: `**${name}** went from ${before} to ${now}.` };
  },
};
