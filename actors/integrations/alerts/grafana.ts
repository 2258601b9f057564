/**
 * https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/
 */
import type { Integration, Said } from "../notice/integration.ts";
import { fields, link, listed, moment, plain, quote } from "../notice/markdown.ts";
import { malformed, type Payload } from "../notice/payload.ts";

/** What an alert that has not ended says instead of its end. */
const noEnd = "0001-01-01T00:00:00Z";

const named = (alert: Payload, path: string): string[] =>
  alert.entries(path).map(([name, value]) => `${name}: ${value.own()}`);

/** One alert: since when, with which labels and values, and where to look. */
function read(alert: Payload): Said {
  const isResolved = alert.is("status", "resolved");
  const name = alert.line("labels.alertname") || alert.line("fingerprint");
  const end = alert.line("endsAt");
  const places = [
    link("Source", alert.text("generatorURL")),
    link("Silence", alert.text("silenceURL")),
    link("Dashboard", alert.text("dashboardURL")),
    link("Panel", alert.text("panelURL")),
    link("Image", alert.text("imageURL")),
  ].filter((place) => place.startsWith("["));
  const values = named(alert, "values");
  const told = fields([
    ["Began", moment(alert.line("startsAt"))],
    ["Ended", isResolved && end !== noEnd ? moment(end) : ""],
    ...alert.entries("annotations").map(([key, value]) => [key, value.own()] as const),
    ["Values", values.length > 0 ? values.join(", ") : alert.line("valueString")],
    ["Labels", named(alert, "labels").join(", ")],
  ]);
  const head = `${isResolved ? ":check: **Resolved**" : ":alert: **Firing**"}: **${link(name, alert.text("generatorURL"))}**`;
  return {
    event: isResolved ? "resolved" : "firing",
    topic: `[${name}]`,
    content: [head, "", told, places.join(" · ")].join("\n").trim(),
  };
}

const icons: Readonly<Record<string, string>> = { alerting: ":alert:", ok: ":check:" };

/** As Grafana said it before version 8. */
function readOld(payload: Payload): Said {
  const [topic, state] = [payload.need("title"), payload.need("state")];
  const matches = payload
    .list("evalMatches")
    .map((match) => `**${match.line("metric")}**: ${match.line("value") || "none"}`);
  const head = `${icons[state] ?? ":info:"} **${plain(state).replaceAll("_", " ")}**: ${link(payload.line("ruleName", "title"), payload.text("ruleUrl"))}`;
  const image = payload.has("imageUrl") ? link("Image", payload.text("imageUrl")) : "";
  const parts = [head, quote(payload.text("message")).trim(), matches.length > 0 ? listed(matches) : "", image];
  return { event: state, topic, content: parts.filter(Boolean).join("\n\n") };
}

export const grafana: Integration = {
  name: "grafana",
  displayName: "Grafana",
  events: ["ok", "pending", "alerting", "paused", "no_data", "firing", "resolved"],
  read({ payload }) {
    if (!payload.has("alerts")) return readOld(payload);
    const alerts = payload.list("alerts");
    if (alerts.length === 0) throw malformed("alerts has none");
    return alerts.map(read);
  },
};
