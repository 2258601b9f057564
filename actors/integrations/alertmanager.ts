/** https://prometheus.io/docs/alerting/latest/configuration/#webhook_config */
import { alertLine } from "./alerts.ts";
import type { Integration } from "./integration.ts";
import { listed } from "./payload.ts";

export const alertmanager: Integration = {
  name: "alertmanager",
  displayName: "Prometheus Alertmanager",
  read({ payload, options }) {
    const alerts = payload.list("alerts");
    if (alerts.length === 0) return "empty";
    const label = options.name === "" ? "instance" : options.name;
    const topic = alerts[0]!.text(`labels.${label}`, alerts[0]!.text("labels.alertname", "Alerts"));
    const lines = alerts.map((alert) => alertLine(alert, options.desc === "" ? "alertname" : options.desc));
    return { topic, content: lines.length === 1 ? lines[0]! : listed(lines) };
  },
};
