/** https://developer.pagerduty.com/docs/webhooks-overview */
import { upTo } from "../../../storage/failures.ts";
import { type Integration, type Said, unsupported } from "../notice/integration.ts";
import { link, quote, together } from "../notice/markdown.ts";
import { malformed, type Payload } from "../notice/payload.ts";

const displayName = "PagerDuty";

/** What an event of any version is called by Zulip. */
const actions: Readonly<Record<string, string>> = {
  "incident.trigger": "triggered",
  "incident.triggered": "triggered",
  "incident.acknowledge": "acknowledged",
  "incident.acknowledged": "acknowledged",
  "incident.unacknowledge": "unacknowledged",
  "incident.unacknowledged": "unacknowledged",
  "incident.resolve": "resolved",
  "incident.resolved": "resolved",
  "incident.assign": "assigned",
  "incident.reassigned": "reassigned",
  "incident.escalate": "escalated",
  "incident.escalated": "escalated",
  "incident.delegate": "delegated",
  "incident.delegated": "delegated",
  "incident.reopened": "reopened",
  "incident.priority_updated": "priority updated",
  "incident.status_update_published": "status updated",
  "incident.annotate": "annotated",
  "incident.annotated": "annotated",
  "incident.responder.added": "responder added",
  "incident.responder.replied": "responder replied",
  "incident.conference_bridge.updated": "conference bridge updated",
  "incident.service_updated": "service updated",
  "incident.workflow.started": "workflow started",
  "incident.workflow.completed": "workflow completed",
};

function actionOf(type: string): string {
  const action = Object.hasOwn(actions, type) ? actions[type] : undefined;
  if (action === undefined) throw unsupported(displayName, type);
  return action;
}

/** Somebody, and where they are to be found. */
const person = (at: Payload): string => {
  const name = at.line("summary", "name") || upTo(at.line("email"), "@");
  return link(name, at.text("html_url"));
};

interface Incident {
  action: string;
  topic: string;
  name: string;
  service: string;
  by: string;
  assignees: readonly string[];
  /** What belongs to the event. */
  detail?: string;
  text?: string;
}

function say({ action, topic, name, service, by, assignees, detail = "", text = "" }: Incident): Said {
  const parts = [
    `${name}: ${action}`,
    by === "" ? "" : ` by ${by}`,
    service === "" ? "" : ` (service ${service})`,
    assignees.length === 0 ? "" : `, assigned to ${together(assignees)}`,
    detail === "" ? "." : `: ${detail}`,
  ];
  return { event: action, topic: `Incident ${topic}`, content: `${parts.join("")}${quote(text)}` };
}

const details: Readonly<Record<string, (at: Payload) => string>> = {
  "priority updated": (at) => at.line("priority.summary"),
  "status updated": (at) => at.line("message"),
  annotated: (at) => at.line("content"),
  "responder added": (at) => at.line("message"),
  "responder replied": (at) => at.line("message"),
  "conference bridge updated": (at) =>
    at.line("conference_url") || at.lines("conference_numbers", "label", "number").join(", "),
  "workflow started": (at) => at.line("incident_workflow.summary", "summary"),
  "workflow completed": (at) => at.line("incident_workflow.summary", "summary"),
  delegated: (at) => (at.has("escalation_policy") ? `by ${person(at.at("escalation_policy"))}` : ""),
};

/** Version 3, which tells one event at a time. */
function readEvent(event: Payload): Said {
  const action = actionOf(event.line("event_type"));
  const at = event.at("data");
  const isPart = at.has("incident");
  const number = at.line("number");
  const topic = isPart
    ? at.raw("incident.summary")
    : number === ""
      ? at.raw("title", "id")
      : `${at.raw("title")} (#${number})`;
  return say({
    action,
    topic,
    name: link(`Incident ${topic}`, at.text(isPart ? "incident.html_url" : "html_url")),
    service: person(at.at("service")),
    by: person(event.at("agent")),
    assignees: [...at.list("assignees"), ...(at.has("user") ? [at.at("user")] : [])].map(person),
    detail: details[action]?.(at) ?? "",
  });
}

/** Versions 1 and 2: the incident is in `data`, or beside the event. */
function readMessage(message: Payload): Said {
  const action = actionOf(message.line("type", "event"));
  const at = message.has("incident") ? message.at("incident") : message.at("data.incident");
  const topic = at.raw("incident_number", "id");
  const by = at.has("resolved_by_user") ? at.at("resolved_by_user") : at.at("last_status_change_by");
  const assigned = at.has("assigned_to_user")
    ? [at.at("assigned_to_user")]
    : at.list("assignments").map((one) => one.at("assignee"));
  const title = at.line("title", "trigger_summary_data.subject");
  return say({
    action,
    topic,
    name: `${link(`Incident ${topic}`, at.text("html_url"))}${title === "" ? "" : ` (${title})`}`,
    service: link(at.line("service.name", "service.summary"), at.text("service.html_url")),
    by: action === "triggered" ? "" : person(by),
    assignees: assigned.map(person),
    text: at.text("description", "trigger_summary_data.description"),
  });
}

export const pagerduty: Integration = {
  name: "pagerduty",
  displayName,
  events: [...new Set(Object.values(actions))],
  read({ payload }) {
    if (payload.has("event.event_type")) {
      return payload.is("event.event_type", "pagey.ping") ? "ignored" : readEvent(payload.at("event"));
    }
    const messages = payload.list("messages");
    if (messages.length === 0) throw malformed("event is missing");
    return messages.map(readMessage);
  },
};
