/** https://developer.pagerduty.com/docs/webhooks-overview */
import type { Integration, Said } from "./integration.ts";
import { link, listed, type Payload } from "./payload.ts";

const events = [
  "triggered",
  "acknowledged",
  "unacknowledged",
  "resolved",
  "reassigned",
  "delegated",
  "escalated",
  "annotated",
];

/** Version 3, which tells one event at a time. */
function readEvent(event: Payload): Said {
  const what = event.text("event_type").replace(/^incident\./, "");
  const at = event.at("data");
  const incident = link(`Incident ${at.text("number", at.text("id"))}`, at.text("html_url"));
  const by = event.text("agent.summary");
  const people = at.list("assignees").map((one) => one.text("summary"));
  const head = `${incident} was ${what}${by === "" ? "" : ` by ${by}`}: ${at.text("title")}`;
  return {
    event: what,
    topic: `Incident ${at.text("number", at.text("id"))}`,
    content: people.length > 0 ? `${head} (assigned to ${people.join(", ")})` : head,
  };
}

export const pagerduty: Integration = {
  name: "pagerduty",
  displayName: "PagerDuty",
  events,
  read({ payload }) {
    if (payload.has("event.event_type")) {
      const isIncident = payload.text("event.event_type").startsWith("incident.");
      return isIncident ? readEvent(payload.at("event")) : "ignored";
    }
    const messages = payload.list("messages");
    if (messages.length === 0) return "unknown";
    const lines = messages.map((message) => {
      const what = message.text("event", message.text("type")).replace(/^incident\./, "");
      const at = message.has("incident") ? message.at("incident") : message.at("data.incident");
      const name = `Incident ${at.text("incident_number", at.text("id"))}`;
      return `${link(name, at.text("html_url"))} was ${what}: ${at.text("title", at.text("trigger_summary_data.subject"))}`;
    });
    const first = messages[0]!;
    const topic = first.text("incident.incident_number", first.text("data.incident.incident_number"));
    return {
      event: first.text("event", first.text("type")).replace(/^incident\./, ""),
      topic: `Incident ${topic}`,
      content: lines.length === 1 ? lines[0]! : listed(lines),
    };
  },
};
