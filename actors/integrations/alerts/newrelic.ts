/** https://docs.newrelic.com/docs/alerts/get-notified/notification-integrations/#webhook */
import type { Integration, Said } from "../notice/integration.ts";
import { code, fields, link, moment, quote, spoken } from "../notice/markdown.ts";
import { malformed, type Payload } from "../notice/payload.ts";

const icons: Readonly<Record<string, string>> = {
  CRITICAL: ":red_circle:",
  HIGH: ":orange_circle:",
  MEDIUM: ":yellow_circle:",
  LOW: ":blue_circle:",
};

/** What happened last: each kind has its time, and one of them is the time of the update. */
function stateOf(payload: Payload): string {
  const updated = payload.line("updatedAt");
  const at = (path: string) => updated !== "" && payload.line(path) === updated;
  if (at("acknowledgedAt")) return "acknowledged";
  if (at("createdAt")) return "activated";
  return at("closedAt") ? "closed" : spoken(payload.line("state")) || "updated";
}

function read(payload: Payload): Said {
  const priority = payload.line("priority");
  const own = payload.entries("zulipCustomFields").map(([name, value]) => [name, value.own()] as const);
  const told = fields([
    ["Policies", payload.lines("alertPolicyNames").map(code).join(", ")],
    ["Conditions", payload.lines("alertConditionNames").map(code).join(", ")],
    ["Incidents", payload.line("totalIncidents")],
    ["Began", moment(payload.line("createdAt"))],
    ["Changed", moment(payload.line("updatedAt"))],
    ["Acknowledged by", payload.line("owner")],
    ...own,
  ]);
  const name = link(payload.line("title") || "An incident", payload.text("issueUrl"));
  const head = `${icons[priority] ?? ":alert:"} ${name} was ${stateOf(payload)}${priority === "" ? "" : ` (priority: ${spoken(priority)})`}`;
  return { event: payload.line("state"), topic: payload.raw("title"), content: `${head}\n\n${told}` };
}

/** As New Relic said it before 2023. */
function readOld(payload: Payload): Said {
  const condition = payload.line("condition_name") || "a condition";
  const [state, owner] = [payload.line("current_state") || "open", payload.line("owner")];
  const head = `${link("Incident", payload.text("incident_url"))} **${state}**${owner === "" ? "" : ` by ${owner}`}: ${condition}`;
  const topic = `${payload.raw("policy_name") || "Unknown Policy"} (${payload.raw("incident_id") || "Unknown ID"})`;
  return { event: state, topic, content: `${head}${quote(payload.text("details"))}` };
}

/** What its template sends. A payload that somebody made shorter is told under one topic. */
const expected = [
  "issueUrl",
  "title",
  "priority",
  "totalIncidents",
  "state",
  "createdAt",
  "updatedAt",
  "alertPolicyNames",
  "alertConditionNames",
];

export const newrelic: Integration = {
  name: "newrelic",
  displayName: "New Relic",
  events: ["CREATED", "ACTIVATED", "CLOSED", "open", "acknowledged", "closed"],
  read({ payload }) {
    if (payload.has("current_state") || payload.has("condition_name")) return readOld(payload);
    const missing = expected.filter((field) => !payload.knows(field));
    if (missing.length === expected.length) throw malformed("title is missing");
    const said = read(payload);
    if (missing.length === 0) return said;
    const note = `The payload lacks ${missing.map(code).join(", ")}.`;
    return { ...said, topic: "Incident alerts", content: `${said.content}\n\n${note}` };
  },
};
