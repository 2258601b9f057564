/**
 * The list of alerts that Prometheus' Alertmanager and Grafana send.
 * https://prometheus.io/docs/alerting/latest/configuration/
 */
import { link, type Payload } from "./payload.ts";

/** One line: whether it fires, what it is, and where to look. @param desc the annotation that says what it is */
export function alertLine(alert: Payload, desc: string): string {
  const isResolved = alert.is("status", "resolved");
  const name = alert.text("labels.alertname", "Alert");
  const says = alert.text(
    `annotations.${desc}`,
    alert.text("annotations.summary", alert.text("annotations.description")),
  );
  const from = alert.text("generatorURL");
  return `${isResolved ? ":check: **Resolved**" : ":alert: **Firing**"}: ${link(name, from)}${says === "" ? "" : `: ${says}`}`;
}
