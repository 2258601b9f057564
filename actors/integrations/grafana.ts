/**
 * https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/
 */
import { alertLine } from "./alerts.ts";
import type { Integration } from "./integration.ts";
import { link, listed } from "./payload.ts";

export const grafana: Integration = {
  name: "grafana",
  displayName: "Grafana",
  events: ["alerting", "ok", "no_data", "paused", "pending", "firing", "resolved"],
  read({ payload }) {
    const alerts = payload.list("alerts");
    if (alerts.length > 0) {
      const lines = alerts.map((alert) => alertLine(alert, "description"));
      const topic = payload.text(
        "groupLabels.alertname",
        alerts[0]!.text("labels.alertname", payload.text("title", "Alerts")),
      );
      return {
        event: payload.text("status", "firing"),
        topic,
        content: lines.length === 1 ? lines[0]! : listed(lines),
      };
    }
    // As Grafana said it before version 9.
    const [title, state] = [payload.text("title"), payload.text("state")];
    if (title === "" || state === "") return "unknown";
    const says = payload.text("message");
    const content = `**${link(title, payload.text("ruleUrl"))}**: ${state.replaceAll("_", " ")}${says === "" ? "" : `\n\n${says}`}`;
    return { event: state, topic: payload.text("ruleName", title), content };
  },
};
