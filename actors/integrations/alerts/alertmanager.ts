/** https://prometheus.io/docs/alerting/latest/configuration/#webhook_config */
import { defined } from "../../../storage/failures.ts";
import type { Integration } from "../notice/integration.ts";
import { link, listed } from "../notice/markdown.ts";
import { malformed, type Payload } from "../notice/payload.ts";

/** What is the matter, what its annotations say, and where to look. */
function line(alert: Payload, desc: string): string {
  const name = alert.line(`labels.${desc}`, `annotations.${desc}`, "labels.alertname") || "Alert";
  const says = alert.line("annotations.summary", "annotations.description", "annotations.message");
  // Its address shows a table; the graph tells more.
  return `${link(name, alert.text("generatorURL").replace("tab=1", "tab=0"))}${says === "" || says === name ? "" : `: ${says}`}`;
}

export const alertmanager: Integration = {
  name: "alertmanager",
  displayName: "Prometheus Alertmanager",
  urlOptions: [
    { key: "name", label: "Label that is the topic", input_type: "text" },
    { key: "desc", label: "Label or annotation that says what it is about", input_type: "text" },
  ],
  read({ payload, options }) {
    const alerts = payload.list("alerts");
    if (alerts.length === 0) throw malformed("alerts is missing");
    const topics = new Map<string, Map<boolean, string[]>>();
    for (const alert of alerts) {
      const name = options.name || "instance";
      const topic = alert.raw(`labels.${name}`, `annotations.${name}`) || "(unknown)";
      const states =
        topics.get(topic) ??
        new Map<boolean, string[]>([
          [false, []],
          [true, []],
        ]);
      topics.set(topic, states);
      defined(states.get(alert.is("status", "resolved")), "state").push(line(alert, options.desc || "alertname"));
    }
    return [...topics].flatMap(([topic, states]) =>
      [...states]
        .filter(([, lines]) => lines.length > 0)
        .map(([isResolved, lines]) => {
          const head = isResolved ? ":check: **Resolved**" : ":alert: **Firing**";
          return { topic, content: lines.length === 1 ? `${head}: ${lines[0]}` : `${head}\n\n${listed(lines)}` };
        }),
    );
  },
};
